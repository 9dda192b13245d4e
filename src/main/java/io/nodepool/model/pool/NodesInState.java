package io.nodepool.model.pool;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The Nodes of a pool in one state, as its status reports them; there is at least one.
 *
 * @param count the number of Nodes
 * @param names the Nodes that are in this state for the longest time, by name, at most {@link
 *     #NAMED}
 * @param since since when the first of them is in this state, to the second
 */
public record NodesInState(int count, List<String> names, Instant since) {
  /** The greatest number of names. */
  public static final int NAMED = 5;

  public NodesInState {
    names = names.stream().sorted().toList();
    since = since.truncatedTo(ChronoUnit.SECONDS);
  }
}
