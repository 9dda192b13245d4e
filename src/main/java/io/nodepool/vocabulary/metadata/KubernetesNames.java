package io.nodepool.vocabulary.metadata;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The rules of Kubernetes for keys and values of an object's labels, annotations and taints, as in
 * apimachinery's {@code IsQualifiedName}, {@code IsValidLabelValue} and {@code
 * ValidateAnnotationsSize}. An object that violates one is rejected with 422.
 */
public final class KubernetesNames {
  /** The greatest total size of the annotations of one object, keys and values, in bytes. */
  public static final int MOST_ANNOTATION_BYTES = 256 * 1024;

  /** The greatest length of the part of a key after the slash, and of a label's value. */
  private static final int LONGEST_NAME = 63;

  /** The greatest length of the part of a key before the slash, and of an object's name. */
  private static final int LONGEST_PREFIX = 253;

  private static final String DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final String NAME_PATTERN = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";

  private static final Pattern SUBDOMAIN = Pattern.compile(DNS_LABEL + "(\\." + DNS_LABEL + ")*");
  private static final Pattern NAME = Pattern.compile(NAME_PATTERN);

  private KubernetesNames() {}

  /** Why Kubernetes rejects a key of a label or a taint; empty if it accepts it. */
  public static Optional<String> wrongKey(String key) {
    int slash = key.indexOf('/');
    String name = key.substring(slash + 1);
    if (slash != key.lastIndexOf('/')) {
      return Optional.of("it has more than one slash; must be NAME or DOMAIN/NAME");
    }
    if (slash >= 0) {
      Optional<String> prefix = wrongPrefix(key.substring(0, slash));
      if (prefix.isPresent()) {
        return prefix;
      }
    }
    if (name.isEmpty()) {
      return Optional.of(
          slash < 0 ? "it is empty" : "nothing follows the slash; must be DOMAIN/NAME");
    }
    return wrongName(name, slash < 0 ? "it" : "the part behind the slash");
  }

  /** Whether most kinds of objects may have this name: a DNS subdomain. */
  public static boolean isObjectName(String name) {
    return name.length() <= LONGEST_PREFIX && SUBDOMAIN.matcher(name).matches();
  }

  private static Optional<String> wrongPrefix(String prefix) {
    if (prefix.length() > LONGEST_PREFIX) {
      return Optional.of(
          "the part before the slash has %d characters; at most %d are allowed"
              .formatted(prefix.length(), LONGEST_PREFIX));
    }
    return SUBDOMAIN.matcher(prefix).matches()
        ? Optional.empty()
        : Optional.of(
            "the part before the slash must be a DNS subdomain of lower-case letters, digits, '-' and '.', such as example.com");
  }

  private static Optional<String> wrongName(String name, String subject) {
    if (name.length() > LONGEST_NAME) {
      return Optional.of(
          "%s has %d characters; at most %d are allowed"
              .formatted(subject, name.length(), LONGEST_NAME));
    }
    return NAME.matcher(name).matches()
        ? Optional.empty()
        : Optional.of(
            subject
                + " must consist of letters, digits, '-', '_' and '.', and begin and end with a letter or digit");
  }

  /**
   * Why Kubernetes rejects a key of an annotation; it accepts keys of labels in upper or lower
   * case.
   */
  public static Optional<String> wrongAnnotationKey(String key) {
    // By code point: lowering a whole string may lengthen it, which does not happen in Kubernetes.
    return wrongKey(
        key.codePoints()
            .map(Character::toLowerCase)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString());
  }

  /** Why Kubernetes rejects a value of a label or a taint; empty if it accepts it. */
  public static Optional<String> wrongLabelValue(String value) {
    return value.isEmpty() ? Optional.empty() : wrongName(value, "it");
  }

  /** The size of annotations as Kubernetes counts it: the bytes of all keys and values. */
  public static long annotationBytes(Map<String, String> annotations) {
    return annotations.entrySet().stream()
        .mapToLong(entry -> bytes(entry.getKey()) + bytes(entry.getValue()))
        .sum();
  }

  private static long bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
