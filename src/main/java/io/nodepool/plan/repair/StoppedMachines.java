package io.nodepool.plan.repair;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.node.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The members whose machines stopped or failed by themselves and did not come back in time. A fleet
 * that says so of many may be wrong, so they leave one by one, within the limits of repairs
 * (decision D33); the one that has waited longest is first.
 *
 * @param first the first ones, that with the longest wait before the others
 * @param count how many there are
 * @param wakeup when there is another one
 */
public record StoppedMachines(List<Member> first, int count, Optional<Instant> wakeup) {
  /** None. */
  static final StoppedMachines NONE = new StoppedMachines(List.of(), 0, Optional.empty());

  /** While the fleet cannot be read, none counts as stopped (decision D13). */
  public static StoppedMachines of(PoolSnapshot seen, Instant now, PlanSettings settings) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost _ -> NONE;
      case PoolSnapshot.Offer.Known _ -> found(seen, now, settings.delivery().deadline());
    };
  }

  private static StoppedMachines found(PoolSnapshot seen, Instant now, Duration deadline) {
    Members members = seen.members();
    List<Member> first = new ArrayList<>();
    int others = 0;
    for (Member member : (Iterable<Member>) members.waiting(Member.Awaited.OUTAGE)::iterator) {
      Instant due = member.waiting().orElseThrow().since().plus(deadline);
      if (now.isBefore(due)) {
        return new StoppedMachines(first, first.size(), Optional.of(due));
      }
      if (Delivery.isAwaited(member) && !Delivery.isProtected(member, seen.pool())) {
        first.add(member);
      } else {
        others++;
      }
      if (first.size() > RepairState.NAMED) {
        int all = members.waitingBefore(Member.Awaited.OUTAGE, now.minus(deadline));
        return new StoppedMachines(first, all - others, Optional.empty());
      }
    }
    return new StoppedMachines(first, first.size(), Optional.empty());
  }

  /** The one that leaves next, if these limits admit that one does. */
  public Optional<Member> next(RepairLimits limits) {
    return first.stream().findFirst().filter(_ -> limits.decision().isAdmitted());
  }

  /** Those that are left when this one leaves. */
  public StoppedMachines without(Optional<Member> leaves) {
    return leaves.isEmpty()
        ? this
        : new StoppedMachines(
            first.stream().filter(member -> !member.equals(leaves.get())).toList(),
            count - 1,
            wakeup);
  }
}
