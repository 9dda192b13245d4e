package io.nodepool.world;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** The number of times that each situation occurred in a run. */
public final class Situations {
  private final Map<Situation, Integer> counts = new EnumMap<>(Situation.class);

  /** Counts a situation. */
  public void add(Situation situation) {
    counts.merge(situation, 1, Integer::sum);
  }

  /** The counts by situation, without those that did not occur. */
  public Map<Situation, Integer> counts() {
    return Collections.unmodifiableMap(counts);
  }
}
