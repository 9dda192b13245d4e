package io.nodepool.vocabulary;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The domains of label and annotation keys that users may not write, and the exceptions (the
 * contract §9, T9).
 */
public final class LabelDomains {
  /** The words with which a key of a reserved domain is refused. */
  public static final String REFUSAL =
      "Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.";

  /** The domains that are reserved, together with everything below them. */
  public static final List<String> RESERVED_DOMAINS = List.of("coreweave.cloud", "coreweave.com");

  /** The reserved keys that a NodePool may set nevertheless, since real clients do. */
  public static final Set<String> ALLOWED_IN_SPEC = Set.of(NodeLabels.SYSTEM_CRITICAL.key());

  private LabelDomains() {}

  /**
   * Whether the domain of a key, the part before the slash, is a reserved one. A key without a
   * domain never is.
   */
  public static boolean reserved(String key) {
    int slash = key.indexOf('/');
    if (slash < 0) {
      return false;
    }
    // The API server compares the domains of annotation keys without regard to case.
    String domain = key.substring(0, slash).toLowerCase(Locale.ROOT);
    return RESERVED_DOMAINS.stream().anyMatch(r -> domain.equals(r) || domain.endsWith("." + r));
  }

  /**
   * Whether {@code spec.nodeLabels} and {@code spec.nodeAnnotations} of a NodePool may hold a key.
   */
  public static boolean allowedInSpec(String key) {
    return !reserved(key) || ALLOWED_IN_SPEC.contains(key);
  }
}
