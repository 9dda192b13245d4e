package io.nodepool.world.check.text;

import java.util.Locale;

/**
 * What is not true of a text, or was not said.
 *
 * @param reason the reason of the Event, or the type and the reason of the condition
 * @param about the kind of object that it is about
 * @param what which rule it breaks, in the words of the rule
 * @param detail the text, and what is the case instead
 */
public record Untruth(String reason, About about, Kind kind, String what, String detail) {
  /** The kinds of object that texts are about. */
  public enum About {
    /** A NodePool. */
    POOL,
    /** A Node. */
    NODE,
    /** A Namespace. */
    NAMESPACE
  }

  /** The kinds of rules. */
  public enum Kind {
    /** The text has none of the forms that are registered for its reason. */
    FORM,
    /** The number is not that of the names beside it. */
    NAMES,
    /** The number is not that of the objects concerned. */
    COUNT,
    /** The text names another object than it is about. */
    OBJECT,
    /** What it says of an object is not the case. */
    STATE,
    /** What it gives as the cause is not the case. */
    CAUSE,
    /** Something happened and was not said. */
    SILENCE
  }

  @Override
  public String toString() {
    return "%s of a %s is not true (%s: %s): %s"
        .formatted(reason, about.name().toLowerCase(Locale.ROOT), kind, what, detail);
  }
}
