package io.nodepool.local;

import java.util.function.Consumer;

/** Where the person at the terminal reads what takes long. */
public interface Progress {
  /** Shows a line that stays. */
  void say(String line);

  /**
   * Shows how far something is, until the next line takes this one's place.
   *
   * @param percent how much of it is done; whoever cannot take a line back leaves most of them out
   */
  void at(int percent, String line);

  /** Progress where no line can be taken back: of what is under way each quarter is shown. */
  static Progress lines(Consumer<String> out) {
    return new Progress() {
      private static final int QUARTER = 25;
      private int shown;

      @Override
      public void say(String line) {
        out.accept(line);
      }

      @Override
      public void at(int percent, String line) {
        int quarter = percent / QUARTER;
        if (quarter > shown && percent < 100) {
          out.accept(line);
        }
        shown = quarter;
      }
    };
  }
}
