package io.nodepool.drill.document;

/** A scenario is wrong: one sentence with the place, the error, and the correction. */
public final class ScenarioMistake extends RuntimeException {
  private static final long serialVersionUID = 1L;

  ScenarioMistake(String where, String what) {
    super(text(where, what));
  }

  ScenarioMistake(String where, String what, Throwable cause) {
    super(text(where, what), cause);
  }

  private static String text(String where, String what) {
    return where.endsWith(": ") ? where + what : where + ": " + what;
  }
}
