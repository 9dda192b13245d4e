package io.nodepool.plan.repair;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.node.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The members whose machines stopped or failed by themselves and did not come back in time. A fleet
 * that reports many of them may be wrong, so they leave one by one, within the limits of repairs
 * (decision D33), longest wait first. The members of a rack that lost its power leave together, as
 * long as few racks are unavailable (decision D321).
 *
 * @param first the first members, longest wait first
 * @param count how many members there are
 * @param wakeup when there is another member
 */
public record StoppedMachines(List<Member> first, int count, Optional<Instant> wakeup) {
  /**
   * The members that leave now.
   *
   * @param rack the rack that they leave together; empty if it is one member, or none
   */
  public record Leaving(List<Member> members, Optional<RackRepair> rack) {
    static final Leaving NONE = new Leaving(List.of(), Optional.empty());

    /** The members that are also in this list. */
    public Leaving among(List<Member> others) {
      List<Member> left = members.stream().filter(others::contains).toList();
      return left.isEmpty() ? NONE : new Leaving(left, rack);
    }

    /** The limits once the pool has recorded that these leave. */
    public RepairLimits recorded(RepairLimits limits) {
      if (members.isEmpty()) {
        return limits;
      }
      Pool pool = limits.seen().pool();
      RepairState last = pool.status().repairs();
      RepairState.Admitted first =
          RepairState.Admitted.ofOutage(members.getFirst().host().id(), limits.now());
      RepairState next = last.withAdmitted(Optional.of(first)).withRack(rack.or(last::rack));
      PoolStatus status = pool.status().withRepairs(next);
      return limits.withSeen(limits.seen().withPool(pool.withStatus(status)));
    }
  }

  /** None. */
  static final StoppedMachines NONE = new StoppedMachines(List.of(), 0, Optional.empty());

  /** While the fleet cannot be read, none counts as stopped (decision D13). */
  public static StoppedMachines of(RepairLimits limits) {
    PoolSnapshot seen = limits.seen();
    if (seen.offer().known().isEmpty()) {
      return NONE;
    }
    Duration deadline = limits.settings().delivery().deadline();
    Instant now = limits.now();
    Members members = seen.members();
    List<Member> first = new ArrayList<>();
    int others = 0;
    for (Member member : (Iterable<Member>) members.waiting(Member.Awaited.OUTAGE)::iterator) {
      Instant due = member.waiting().orElseThrow().since().plus(deadline);
      if (now.isBefore(due)) {
        return new StoppedMachines(first, first.size(), Optional.of(due));
      }
      if (mayLeave(member, seen)) {
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

  /**
   * The members that leave next, if these limits admit that.
   *
   * @param rackSize the number of Nodes in a rack, at most 1 for types that are allocated singly
   */
  public Leaving next(RepairLimits limits, int rackSize) {
    if (first.isEmpty()) {
      return Leaving.NONE;
    }
    Optional<RackRepair> dark = limits.rack().filter(RackRepair::isOutage);
    List<Member> late = dark.map(each -> inRack(each.rack(), limits)).orElse(List.of());
    if (!late.isEmpty()) {
      return limits.byRate().isAdmitted()
          ? new Leaving(late, dark.map(each -> each.again(limits.now())))
          : Leaving.NONE;
    }
    if (!limits.decision().isAdmitted()) {
      return Leaving.NONE;
    }
    String rack = first.getFirst().host().machine().rack();
    boolean mayTogether =
        rackSize > 1
            && limits.isWithoutRack()
            && RackRepair.isMost(limits.seen().members(), rack, count)
            && RepairLimits.level(limits.seen(), rackSize).surplus() == 0;
    List<Member> together = mayTogether ? inRack(rack, limits) : List.of();
    return RackRepair.isMost(limits.seen().members(), rack, together.size())
        ? new Leaving(together, Optional.of(RackRepair.ofOutage(rack, limits.now())))
        : new Leaving(List.of(first.getFirst()), Optional.empty());
  }

  private static List<Member> inRack(String rack, RepairLimits limits) {
    PoolSnapshot seen = limits.seen();
    Instant due = limits.now().minus(limits.settings().delivery().deadline());
    return RackRepair.in(seen.members(), rack)
        .filter(member -> member.isAwaited(Member.Awaited.OUTAGE))
        .filter(member -> !member.waiting().orElseThrow().since().isAfter(due))
        .filter(member -> mayLeave(member, seen))
        .toList();
  }

  private static boolean mayLeave(Member member, PoolSnapshot seen) {
    return Delivery.isAwaited(member) && !Delivery.isProtected(member, seen.pool());
  }

  /** The names of the first members. */
  Stream<String> names() {
    return first.stream().map(member -> member.host().id().name());
  }

  /** The stopped machines without these. */
  public StoppedMachines without(Leaving leave) {
    return new StoppedMachines(
        first.stream().filter(member -> !leave.members().contains(member)).toList(),
        count - leave.members().size(),
        wakeup);
  }
}
