package io.nodepool.plan;

import io.nodepool.model.Claim;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.vocabulary.CapacityReason;
import java.util.List;

/**
 * Are there Hosts for what the pool wants, and which of them are its own? Hosts are given out in
 * one order over all claims of a type; a pool takes only its share of that order (decision D10).
 */
final class Capacity {
  private Capacity() {}

  /**
   * @param share the Hosts that are this pool's in the order, at most as many as it may still take
   */
  record Supply(Finding finding, List<PoolSnapshot.Candidate> share) {}

  /**
   * The supply for a claim whose granted size is already decided. Capacity is computed as if all
   * were granted (D11).
   */
  static Supply check(PoolSnapshot seen, Claim own) {
    if (seen.offer() instanceof PoolSnapshot.Offer.Lost lost) {
      return new Supply(
          new Finding(
              CapacityReason.INTERNAL_ERROR, "The capacity could not be read: " + lost.why()),
          List.of());
    }
    int ahead =
        seen.others().stream()
            .filter(other -> Claim.ORDER.compare(other, own) < 0)
            .mapToInt(Claim::outstanding)
            .sum();
    int from = Math.min(ahead, seen.free().size());
    int available = seen.free().size() - from;
    int wanted = Math.max(0, own.target() - own.held());
    List<PoolSnapshot.Candidate> share =
        seen.free().subList(from, from + Math.min(available, own.outstanding()));
    return new Supply(finding(seen, wanted, available, ahead), share);
  }

  private static Finding finding(PoolSnapshot seen, int wanted, int available, int ahead) {
    if (available >= wanted) {
      return new Finding(
          CapacityReason.SUFFICIENT, CapacityReason.SUFFICIENT.message().orElseThrow());
    }
    String before =
        ahead == 0
            ? ""
            : " " + Texts.count(ahead, "Node") + " of other pools are served before them.";
    return new Finding(
        CapacityReason.QUEUED_AWAITING_CAPACITY,
        "%s of type %s are queued until capacity becomes available.%s"
            .formatted(
                Texts.count(wanted - available, "Node"),
                seen.pool().spec().instanceType(),
                before));
  }
}
