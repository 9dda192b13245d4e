package io.nodepool.plan;

import io.nodepool.model.Claim;
import io.nodepool.model.PoolSnapshot.Candidate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Gives out free Hosts of one type: claim by claim in their order, each the first Hosts that it
 * admits (decision D10). A type that comes in racks is given out in whole racks; single Hosts of
 * one go only to the pool that holds the rest of their rack (decision D5).
 */
final class Allocation {
  private final List<Candidate> free;
  private final int rackSize;

  /**
   * @param free free Hosts in the order in which they are given out
   * @param rackSize how many Hosts of a rack are given out together; at most 1 for single Hosts
   */
  Allocation(List<Candidate> free, int rackSize) {
    this.free = free;
    this.rackSize = rackSize;
  }

  /** The Hosts for a claim, at most {@code wanted}, after all claims before it took theirs. */
  List<Candidate> share(Claim own, List<Claim> others, int wanted) {
    Set<String> taken = new TreeSet<>();
    Claim[] before =
        others.stream()
            .filter(other -> Claim.ORDER.compare(other, own) < 0)
            .sorted(Claim.ORDER)
            .toArray(Claim[]::new);
    for (Claim claim : before) {
      take(claim, claim.outstanding(), taken);
    }
    return take(own, wanted, taken);
  }

  private List<Candidate> take(Claim claim, int wanted, Set<String> taken) {
    if (wanted <= 0) {
      return List.of();
    }
    Stream<Candidate> admitted =
        free.stream()
            .filter(candidate -> !taken.contains(candidate.host().uid()))
            .filter(candidate -> claim.affinity().admits(candidate.host(), candidate.machine()));
    List<Candidate> share =
        rackSize <= 1
            ? admitted.limit(wanted).toList()
            : wholeRacks(admitted.toList(), claim, wanted);
    share.forEach(candidate -> taken.add(candidate.host().uid()));
    return share;
  }

  /** First what completes racks that the pool holds a part of, then whole free racks. */
  private List<Candidate> wholeRacks(List<Candidate> admitted, Claim claim, int wanted) {
    Map<String, List<Candidate>> racks = new LinkedHashMap<>();
    List<Candidate> share = new ArrayList<>();
    for (Candidate candidate : admitted) {
      if (candidate.rackHolder().equals(claim.pool().uid())) {
        share.add(candidate);
      } else if (candidate.rackHolder().isEmpty()) {
        racks.computeIfAbsent(candidate.machine().rack(), rack -> new ArrayList<>()).add(candidate);
      }
    }
    for (List<Candidate> rack : racks.values()) {
      if (rack.size() >= rackSize && share.size() + rackSize <= wanted) {
        share.addAll(rack.subList(0, rackSize));
      }
    }
    return List.copyOf(share.subList(0, Math.min(wanted, share.size())));
  }
}
