package io.nodepool.local.programs;

import java.util.function.Consumer;

/** Receives the progress of long steps, for the user at the terminal. */
public interface Progress {
  /** Prints a line. */
  void say(String line);

  /**
   * Shows the progress of a step in a line that the next line replaces.
   *
   * @param percent the completed part; an implementation that cannot replace lines omits most calls
   */
  void at(int percent, String line);

  /** Progress for output that cannot replace lines: one line for each quarter of a step. */
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
