package io.nodepool.world.check;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** How often a run got into each situation. */
public final class Situations {
  private final Map<Situation, Integer> counts = new EnumMap<>(Situation.class);

  /** Counts one. */
  public void add(Situation situation) {
    counts.merge(situation, 1, Integer::sum);
  }

  /** How often, by situation; those that did not occur are left out. */
  public Map<Situation, Integer> counts() {
    return Collections.unmodifiableMap(counts);
  }
}
