package io.nodepool.model.pool;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The Nodes of a pool in one state, as its status reports them; there is at least one.
 *
 * @param count how many there are
 * @param names at most {@link #NAMED} of them, those in this state for the longest time, by name
 * @param since since when the first of them is, to the second
 */
public record NodesInState(int count, List<String> names, Instant since) {
  /** How many are named at most. */
  public static final int NAMED = 5;

  public NodesInState {
    names = names.stream().sorted().toList();
    since = since.truncatedTo(ChronoUnit.SECONDS);
  }
}
