package io.nodepool.vocabulary;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Text that users, fleets or servers wrote, as part of a message: on one line, and without
 * characters that control a terminal. Its length is bounded, so that no message becomes too long to
 * publish.
 */
public final class UserText {
  /** The greatest length of a quoted text, in characters. */
  public static final int LONGEST_QUOTE = 80;

  /** The greatest length of an explanation by a server or of an unreadable object. */
  public static final int LONGEST_EXPLANATION = 800;

  /**
   * A character that controls a terminal or the layout of a line instead of being displayed: C0,
   * C1, line separators, changes of the writing direction, and halves of a surrogate pair.
   */
  public static final Pattern CONTROL =
      Pattern.compile(
          "[\\p{Cc}\\p{Cs}\\x{2028}\\x{2029}\\x{061c}\\x{200e}\\x{200f}\\x{202a}-\\x{202e}\\x{2066}-\\x{2069}]");

  private UserText() {}

  /** The text in quotation marks; a text that is too long ends with an ellipsis. */
  public static String quoted(String text) {
    return '"' + shortened(text, LONGEST_QUOTE) + '"';
  }

  /** The text as an explanation after a colon. */
  public static String explanation(String text) {
    return shortened(text, LONGEST_EXPLANATION);
  }

  /** The text for a terminal: its lines, without other characters that control it. */
  public static String printable(String text) {
    return text.lines()
        .map(line -> CONTROL.matcher(line).replaceAll("?"))
        .collect(Collectors.joining("\n"));
  }

  /**
   * The text, cut to this number of characters.
   *
   * @param most the number of code points from which on an ellipsis replaces the rest
   */
  public static String shortened(String text, int most) {
    boolean cut = text.codePointCount(0, text.length()) > most;
    String kept = cut ? text.substring(0, text.offsetByCodePoints(0, most)) + "…" : text;
    return CONTROL.matcher(kept).replaceAll("?");
  }

  /**
   * The cost of changing {@code typed} into a word: 1 for a missing character, 2 for a surplus one,
   * 3 for a wrong one. A missing part is more likely than a wrong model letter: {@code
   * gd-8xh100-i128} lacks an {@code ib}; it does not mean an A100.
   */
  public static int misspelling(String typed, String word) {
    int[] previous = new int[word.length() + 1];
    Arrays.setAll(previous, i -> i);
    for (int i = 1; i <= typed.length(); i++) {
      int[] current = new int[word.length() + 1];
      current[0] = 2 * i;
      for (int j = 1; j <= word.length(); j++) {
        int same = previous[j - 1] + (typed.charAt(i - 1) == word.charAt(j - 1) ? 0 : 3);
        current[j] = Math.min(same, Math.min(previous[j] + 2, current[j - 1] + 1));
      }
      previous = current;
    }
    return previous[word.length()];
  }
}
