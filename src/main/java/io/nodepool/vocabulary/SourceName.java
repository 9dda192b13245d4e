package io.nodepool.vocabulary;

import java.util.Set;
import java.util.regex.Pattern;

/** The names of the sources of signals about machines, except monitors. */
public final class SourceName {
  /** What a fleet reports in the status of its Hosts. */
  public static final String FLEET = "fleet";

  /** Conditions that other clients write on Nodes. */
  public static final String CONDITIONS = "conditions";

  /** The condition of an alert that an earlier operator published: its source is not known. */
  public static final String PUBLISHED = "published";

  /** What this operator observes by itself. */
  public static final String OPERATOR = "operator";

  private static final Pattern FORM = Pattern.compile("[a-z0-9][-a-z0-9]{0,31}");
  private static final Set<String> WITHOUT_HEARTBEAT = Set.of(FLEET, OPERATOR, PUBLISHED);

  private SourceName() {}

  /**
   * Whether it is a source that can be silent: a monitor, or conditions of Nodes. What a fleet
   * reports is its present status.
   */
  public static boolean canBeSilent(String source) {
    return FORM.matcher(source).matches() && !WITHOUT_HEARTBEAT.contains(source);
  }
}
