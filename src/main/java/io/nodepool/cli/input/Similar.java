package io.nodepool.cli.input;

import io.nodepool.vocabulary.UserText;
import java.util.Collection;
import java.util.Comparator;
import java.util.stream.Collectors;

/** Suggests known words for an unknown word. */
public final class Similar {
  private static final int SHOWN = 3;

  private Similar() {}

  /** The end of an error message, with the most similar words; empty text if there is none. */
  public static String hint(String typed, Collection<String> known) {
    int most = Math.max(3, typed.length());
    String words =
        known.stream()
            .distinct()
            .filter(word -> word.startsWith(typed) || UserText.misspelling(typed, word) <= most)
            .sorted(
                Comparator.<String>comparingInt(word -> UserText.misspelling(typed, word))
                    .thenComparing(Comparator.naturalOrder()))
            .limit(SHOWN)
            .collect(Collectors.joining(" or "));
    return words.isEmpty() ? "" : "; did you mean %s?".formatted(words);
  }
}
