package io.nodepool.world.check.truth;

/**
 * A form of text that may be written for a reason, with the check whether such a text is true.
 *
 * @param counts the place of the number that must be the count of its Event; empty text if the
 *     Event is about one occurrence
 */
public record Wording(Untruth.About about, TextForm form, String counts, Check check) {
  /** Reports what is not true of a text. */
  public interface Check {
    /** Only its form, its lists and its count are checked. */
    Check FORM = (said, moment) -> {};

    void check(TextForm.Statement said, Moment moment);
  }

  /** A text about a pool. */
  static Wording ofPool(String form, Check check) {
    return new Wording(Untruth.About.POOL, TextForm.of(form), "", check);
  }

  /** A text about a pool whose Event counts what is at this place. */
  static Wording counting(String counts, String form, Check check) {
    return new Wording(Untruth.About.POOL, TextForm.of(form), counts, check);
  }

  /** A text about a Node. */
  public static Wording ofNode(String form, Check check) {
    return new Wording(Untruth.About.NODE, TextForm.of(form), "", check);
  }
}
