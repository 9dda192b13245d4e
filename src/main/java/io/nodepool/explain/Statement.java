package io.nodepool.explain;

import io.nodepool.vocabulary.LowerCaseWord;

/**
 * The answer about one thing that can happen.
 *
 * @param what the thing
 * @param answer whether it happens or has happened
 * @param why the one reason
 */
public record Statement(String what, Whether answer, String why) {
  /** Whether something happens. */
  public enum Whether implements LowerCaseWord {
    YES,
    NO,
    UNKNOWN;

    @Override
    public String toString() {
      return word();
    }
  }

  static Statement yes(String what, String why) {
    return new Statement(what, Whether.YES, why);
  }

  static Statement no(String what, String why) {
    return new Statement(what, Whether.NO, why);
  }
}
