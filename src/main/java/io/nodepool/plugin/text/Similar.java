package io.nodepool.plugin.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Collectors;

/** What a word that nothing has was probably meant to be. */
public final class Similar {
  private static final int SHOWN = 3;

  private Similar() {}

  /** The end of an error message that asks for the most similar words; empty text without any. */
  public static String hint(String typed, Collection<String> known) {
    int most = Math.max(1, typed.length() / 3);
    String words =
        known.stream()
            .distinct()
            .filter(word -> word.startsWith(typed) || distance(typed, word) <= most)
            .sorted(
                Comparator.<String>comparingInt(word -> distance(typed, word))
                    .thenComparing(Comparator.naturalOrder()))
            .limit(SHOWN)
            .collect(Collectors.joining(" or "));
    return words.isEmpty() ? "" : "; did you mean %s?".formatted(words);
  }

  /** How many characters are missing, too many, wrong or exchanged with the next. */
  private static int distance(String from, String to) {
    int[][] steps = new int[from.length() + 1][to.length() + 1];
    for (int i = 0; i <= from.length(); i++) {
      for (int j = 0; j <= to.length(); j++) {
        if (i == 0 || j == 0) {
          steps[i][j] = i + j;
          continue;
        }
        int wrong = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
        int fewest =
            Math.min(Math.min(steps[i - 1][j], steps[i][j - 1]) + 1, steps[i - 1][j - 1] + wrong);
        boolean exchanged =
            i > 1
                && j > 1
                && from.charAt(i - 1) == to.charAt(j - 2)
                && from.charAt(i - 2) == to.charAt(j - 1);
        steps[i][j] = exchanged ? Math.min(fewest, steps[i - 2][j - 2] + 1) : fewest;
      }
    }
    return steps[from.length()][to.length()];
  }
}
