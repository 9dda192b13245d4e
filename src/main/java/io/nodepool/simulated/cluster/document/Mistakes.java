package io.nodepool.simulated.cluster.document;

import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.Word;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The first mistake in a spec; the checks run in a fixed order. */
final class Mistakes {
  private Optional<String> first = Optional.empty();

  /** The first mistake; empty if there was none so far. */
  Optional<String> first() {
    return first;
  }

  /** Records a mistake if the condition does not hold. */
  void check(boolean holds, Supplier<String> mistake) {
    if (!holds && first.isEmpty()) {
      first = Optional.of(mistake.get());
    }
  }

  /** The duration in a field; empty if there is none, or if it cannot be read. */
  Optional<Duration> duration(String field, @Nullable String text) {
    Optional<Duration> duration = Optional.ofNullable(text).flatMap(DurationText::parse);
    check(
        text == null || duration.isPresent(),
        () ->
            "%s: \"%s\" is not a duration; write it like 90s, 5m or 1h30m.".formatted(field, text));
    return duration;
  }

  /** The valid words of a field, for the message about an invalid word. */
  static String words(Word... words) {
    return Stream.of(words).map(Word::word).collect(Collectors.joining(", "));
  }
}
