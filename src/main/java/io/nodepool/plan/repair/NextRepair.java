package io.nodepool.plan.repair;

import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.disruption.cause.DisruptionAdmission.Decision;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.pcollections.TreePSet;

/** Which of the repairs for which Nodes are cordoned may be carried out next (decision D33). */
final class NextRepair {
  private final PoolSnapshot seen;
  private final RepairLimits limits;
  private final RepairState last;
  private final Set<String> suspects;
  private final WaitingRepairs waiting;
  private final Consumer<Instant> wakesAt;
  private final Instant now;

  /**
   * The next repair of a pool.
   *
   * @param suspects the alerts for which nothing is done
   * @param waiting receives those that wait
   * @param wakesAt receives when that may change
   */
  NextRepair(
      RepairLimits limits,
      Set<String> suspects,
      WaitingRepairs waiting,
      Consumer<Instant> wakesAt) {
    this.seen = limits.seen();
    this.limits = limits;
    this.last = seen.pool().status().removal().repairs();
    this.suspects = suspects;
    this.waiting = waiting;
    this.wakesAt = wakesAt;
    this.now = limits.now();
  }

  /** Which repair may be carried out: the one published, or another one when that is due. */
  Optional<RepairState.Admitted> plan() {
    List<Map<String, TreePSet<RepairPlace>>> able = limits.able();
    List<RepairPlace> next =
        able.stream()
            .flatMap(places -> FaultyMembers.first(places, suspects, RepairState.NAMED + 1))
            .sorted()
            .filter(place -> !place.ending() && !isLetGo(place))
            .toList();
    if (next.isEmpty()) {
      return last.admitted();
    }
    int count = able.stream().mapToInt(places -> FaultyMembers.count(places, suspects)).sum();
    Optional<RepairPlace> due = next.stream().filter(this::isCordonedLongEnough).findFirst();
    if (due.isEmpty()) {
      waiting.add(count, next.stream(), RepairLimits.YOUNG);
      return last.admitted();
    }
    return switch (limits.decision()) {
      case Decision.Admitted _ -> {
        waiting.add(
            count - 1, next.stream().filter(each -> !each.equals(due.get())), RepairLimits.RATE);
        wakesAt.accept(limits.afterThis());
        yield Optional.of(admission(due.get()));
      }
      case Decision.Held held -> {
        waiting.add(count, next.stream(), RepairLimits.why(held));
        wakesAt.accept(limits.nextTurn());
        yield last.admitted();
      }
    };
  }

  /** Whether it is; the plan wakes when the first one is. */
  private boolean isCordonedLongEnough(RepairPlace place) {
    Instant at = limits.dueAt(seen.members().find(place.uid()).orElseThrow());
    if (at.isAfter(now)) {
      wakesAt.accept(at);
    }
    return !at.isAfter(now);
  }

  /** Whether this one was let go last, and has not had the time to begin. */
  private boolean isLetGo(RepairPlace place) {
    return last.admitted()
        .filter(each -> each.hostUid().equals(place.uid()))
        .filter(each -> limits.isRecent(each.at()))
        .isPresent();
  }

  private RepairState.Admitted admission(RepairPlace place) {
    Member member = seen.members().find(place.uid()).orElseThrow();
    return RepairState.Admitted.of(
        member.host().id(), member.disruption().orElseThrow().sequence(), now);
  }
}
