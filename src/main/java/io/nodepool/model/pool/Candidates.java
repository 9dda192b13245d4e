package io.nodepool.model.pool;

import io.nodepool.model.pool.PoolSnapshot.Candidate;
import java.util.Collection;
import java.util.Map;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The Hosts of an instance type that may be assigned now. A plan that must not choose among them
 * reads counts; a change returns another instance in logarithmic time.
 *
 * @param all in the order of allocation
 * @param spot those of them that are available to spot pools, in the same order
 * @param levels how many there are with each number of failed deliveries
 */
public record Candidates(
    TreePSet<Candidate> all, TreePSet<Candidate> spot, TreePMap<Integer, Level> levels) {
  /** No Host. */
  public static final Candidates NONE =
      new Candidates(
          TreePSet.empty(Candidate.ORDER), TreePSet.empty(Candidate.ORDER), TreePMap.empty());

  /**
   * The numbers of Hosts with one number of failed deliveries.
   *
   * @param spot those that are available to spot pools
   */
  public record Level(int onDemandOnly, int spot) {
    private static final Level EMPTY = new Level(0, 0);

    private Level changed(Candidate candidate, int by) {
      return candidate.spot()
          ? new Level(onDemandOnly, spot + by)
          : new Level(onDemandOnly + by, spot);
    }
  }

  /** These Hosts. */
  public static Candidates of(Collection<Candidate> candidates) {
    Candidates result = NONE;
    for (Candidate candidate : candidates) {
      result = result.plus(candidate);
    }
    return result;
  }

  /** With this Host. */
  public Candidates plus(Candidate candidate) {
    return all.contains(candidate)
        ? this
        : new Candidates(
            all.plus(candidate),
            candidate.spot() ? spot.plus(candidate) : spot,
            counted(candidate, 1));
  }

  /** Without this Host. */
  public Candidates minus(Candidate candidate) {
    return all.contains(candidate)
        ? new Candidates(
            all.minus(candidate),
            candidate.spot() ? spot.minus(candidate) : spot,
            counted(candidate, -1))
        : this;
  }

  private TreePMap<Integer, Level> counted(Candidate candidate, int by) {
    Level next = levels.getOrDefault(candidate.failures(), Level.EMPTY).changed(candidate, by);
    return next.equals(Level.EMPTY)
        ? levels.minus(candidate.failures())
        : levels.plus(candidate.failures(), next);
  }

  /** The Hosts that a claim of this compute class may take, in the order of allocation. */
  public TreePSet<Candidate> of(boolean spotClaim) {
    return spotClaim ? spot : all;
  }

  /** How many of the first Hosts are available to spot pools. */
  public int spotAmongFirst(long hosts) {
    long left = hosts;
    long found = 0;
    for (Map.Entry<Integer, Level> entry : levels.entrySet()) {
      Level level = entry.getValue();
      left -= Math.min(left, level.onDemandOnly());
      long taken = Math.min(left, level.spot());
      found += taken;
      left -= taken;
    }
    return Math.toIntExact(found);
  }
}
