package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.world.check.Situation;
import io.nodepool.world.check.Situations;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The number of times that each situation occurred in the runs of a suite. */
final class Census {
  private final Map<Situation, Long> counts = new EnumMap<>(Situation.class);

  /** Adds the situations of one run. Thread-safe, since runs may be executed in parallel. */
  synchronized void add(Situations situations) {
    situations.counts().forEach((what, count) -> counts.merge(what, (long) count, Long::sum));
  }

  /** Prints the situations, and fails if one that the suite covers did not occur. */
  synchronized void report(String suite, Set<Situation> about) {
    String text =
        counts.entrySet().stream()
            .map(entry -> "%s %,d".formatted(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", "));
    System.out.printf("%s: %s%n", suite, text);
    assertThat(counts.keySet()).as("situations that %s covers", suite).containsAll(about);
  }
}
