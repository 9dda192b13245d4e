package io.nodepool.health;

import io.nodepool.vocabulary.SourceName;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The identity of a signal about one Host: who reports it, about which part, under which name. A
 * source reports one signal of a name for each part. Written {@code source.component.name}.
 *
 * @param source who reports it: lower case letters, digits and -, at most 32
 * @param component the part of the machine: letters, digits, - and _, at most 40; {@code host} for
 *     the machine as a whole
 * @param name the name of the alert: letters, digits, - and _, at most 100
 */
public record SignalKey(String source, String component, String name)
    implements Comparable<SignalKey> {
  /** The machine as a whole. */
  public static final String HOST = "host";

  /** A valid key as text; in the syntax that Java and CEL share. */
  public static final String PATTERN =
      "^([a-z0-9][-a-z0-9]{0,31})[.]([A-Za-z0-9][-_A-Za-z0-9]{0,39})[.]([A-Za-z0-9_][-_A-Za-z0-9]{0,99})$";

  /** A key with a reserved source, which HostSignals may not use; in the same syntax. */
  public static final String RESERVED =
      "^("
          + SourceName.CONDITIONS
          + "|"
          + SourceName.FLEET
          + "|"
          + SourceName.OPERATOR
          + "|"
          + SourceName.PUBLISHED
          + ")[.]";

  private static final Pattern FORM = Pattern.compile(PATTERN);
  private static final Pattern NOT_REPORTED = Pattern.compile(RESERVED);
  private static final Comparator<SignalKey> ORDER =
      Comparator.comparing(SignalKey::name)
          .thenComparing(SignalKey::component)
          .thenComparing(SignalKey::source);

  /** The key of a reported entry; empty if the text is no key, or its source is reserved. */
  public static Optional<SignalKey> reported(String text) {
    return parse(text).filter(_ -> !NOT_REPORTED.matcher(text).find());
  }

  /** The key in this text; empty if the text is no key. */
  public static Optional<SignalKey> parse(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? Optional.of(new SignalKey(form.group(1), form.group(2), form.group(3)))
        : Optional.empty();
  }

  /** The key as text. */
  public String text() {
    return source + "." + component + "." + name;
  }

  /** Whether it is about the machine as a whole. */
  public boolean isOfHost() {
    return component.equals(HOST);
  }

  @Override
  public int compareTo(SignalKey other) {
    return ORDER.compare(this, other);
  }
}
