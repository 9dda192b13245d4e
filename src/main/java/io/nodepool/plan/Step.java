package io.nodepool.plan;

import java.util.List;
import java.util.stream.Stream;

/**
 * An action and what is told before it.
 *
 * @param why the stage that decided, in a few words for logs and explanations
 */
public record Step(List<Notice> notices, Action action, String why) {
  public Step {
    notices = List.copyOf(notices);
  }

  /** The same step, with these told before its own. */
  Step after(List<Notice> earlier) {
    return new Step(Stream.concat(earlier.stream(), notices.stream()).toList(), action, why);
  }

  /** A step that tells nothing. */
  public static Step quiet(Action action, String why) {
    return new Step(List.of(), action, why);
  }
}
