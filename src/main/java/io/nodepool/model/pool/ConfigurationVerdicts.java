package io.nodepool.model.pool;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What the pools of an instance type publish about the configurations that their machines boot.
 *
 * @param disabledIn the name of the first pool that reports a configuration as disabled, by the
 *     configuration
 * @param proven the configurations that machines booted
 */
public record ConfigurationVerdicts(
    SortedMap<String, String> disabledIn, SortedSet<String> proven) {
  /** No pool reports anything. */
  public static final ConfigurationVerdicts NONE = of(Stream.empty());

  public ConfigurationVerdicts {
    disabledIn = Collections.unmodifiableSortedMap(new TreeMap<>(disabledIn));
    proven = Collections.unmodifiableSortedSet(new TreeSet<>(proven));
  }

  /** The verdicts that these pools publish. */
  public static ConfigurationVerdicts of(Stream<Pool> pools) {
    SortedMap<String, String> disabledIn = new TreeMap<>();
    SortedSet<String> proven = new TreeSet<>();
    pools.forEach(pool ->
        pool.status()
            .configuration()
            .revisions()
            .forEach(revision -> {
              if (revision.boots().disabled()) {
                disabledIn.merge(
                    revision.profile(),
                    pool.id().name(),
                    (one, other) -> one.compareTo(other) < 0 ? one : other);
              }
              if (revision.isProven()) {
                proven.add(revision.profile());
              }
            }));
    return new ConfigurationVerdicts(disabledIn, proven);
  }

  /**
   * The verdicts that count in a pool: other pools do not judge what its own machines booted or
   * boot.
   */
  public ConfigurationVerdicts in(ConfigurationState own) {
    SortedMap<String, String> left = new TreeMap<>(disabledIn);
    SortedSet<String> booted = new TreeSet<>(proven);
    own.revisions().stream()
        .filter(each -> each.isProven() || each.profile().equals(own.profile()))
        .map(ConfigurationState.Revision::profile)
        .forEach(profile -> {
          left.remove(profile);
          booted.add(profile);
        });
    return new ConfigurationVerdicts(left, booted);
  }
}
