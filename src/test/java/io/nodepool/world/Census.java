package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** How often each situation occurred in the runs of a suite, and in how many of them. */
final class Census {
  private final Map<Situation, Long> counts = new EnumMap<>(Situation.class);
  private final Map<Situation, Long> runsWith = new EnumMap<>(Situation.class);
  private long runs;

  /** Adds the situations of one run. Thread-safe, since runs may be executed in parallel. */
  synchronized void add(Situations situations) {
    runs++;
    situations
        .counts()
        .forEach((what, count) -> {
          counts.merge(what, (long) count, Long::sum);
          runsWith.merge(what, 1L, Long::sum);
        });
  }

  /** Prints the situations, and fails if one that the suite covers did not occur. */
  synchronized void report(String suite, Set<Situation> about) {
    String text =
        counts.entrySet().stream()
            .map(entry ->
                "%s %,d in %,d"
                    .formatted(
                        entry.getKey(),
                        entry.getValue(),
                        runsWith.getOrDefault(entry.getKey(), 0L)))
            .collect(Collectors.joining(", "));
    System.out.printf("%s, %,d runs: %s%n", suite, runs, text);
    assertThat(counts.keySet()).as("situations that %s covers", suite).containsAll(about);
  }

  /** Fails if a situation that the suite covers occurred in less than this share of its runs. */
  synchronized void reportShare(String suite, Set<Situation> about, double share) {
    report(suite, about);
    assertThat(about.stream().filter(each -> runsWith.getOrDefault(each, 0L) < runs * share))
        .as("situations in less than %s of the %d runs of %s", share, runs, suite)
        .isEmpty();
  }
}
