package io.nodepool.plan.repair;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.cause.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.cause.DisruptionAdmission.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Nodes that leave since their machines did not come back from their reboots, as counted for
 * the next one that would (decision D221). A verification that is itself broken fails on every
 * machine: so few leave at once and each minute, and after a few in a row none until a person
 * releases that. One that comes back is never held.
 *
 * @param row when the last ones in a row were admitted, within {@link #WINDOW}, oldest first
 * @param inPool how many leave the pool
 * @param most how many may at once
 * @param inFleet how many leave all pools
 * @param dueAt when the next one may leave by the rate; never as long as this operator has not
 *     begun to watch
 */
public record LostNodes(
    List<Instant> row, int inPool, int most, int inFleet, Instant dueAt, Instant now) {
  /** The time within which Nodes count as in a row. */
  private static final Duration WINDOW = Duration.ofMinutes(10);

  /**
   * What becomes of the failed reboots of a pool.
   *
   * @param next what its status says
   * @param wakeup when the next one may leave by the rate
   */
  public record Outlook(FailedReboots next, Optional<Instant> wakeup) {}

  /** The failed reboots of a pool now: at most one more of its Nodes may leave. */
  public static Outlook plan(PoolSnapshot seen, Instant now, PlanSettings settings) {
    FailedReboots published = seen.pool().status().removal().failedReboots();
    FailedReboots last =
        seen.pool().spec().pause().releases(published)
            ? published.withRow(List.of()).withHeldSince(Optional.empty())
            : published;
    Optional<Member> waits =
        seen.members()
            .having(Members.Trait.LOST)
            .filter(member -> !isAdmitted(last, member))
            .findFirst();
    if (waits.isEmpty()) {
      return new Outlook(last.withWaiting(0).withNames(List.of()).withWhy(""), Optional.empty());
    }
    RepairLimits before = new RepairLimits(seen, last, now, settings);
    Decision decision = before.unlessBraked(() -> of(before).decision());
    FailedReboots next = decided(last, decision, waits.get(), now);
    RepairLimits limits = new RepairLimits(seen, next, now, settings);
    LostNodes after = of(limits);
    return new Outlook(
        waiting(seen, next, limits.unlessBraked(after::decision), now),
        after.row().size() < FailedReboots.ROW ? Optional.of(limits.nextTurn()) : Optional.empty());
  }

  private static FailedReboots decided(
      FailedReboots last, Decision decision, Member waits, Instant now) {
    return switch (decision) {
      case Decision.Admitted _ ->
          last.withAdmitted(
                  Optional.of(
                      new FailedReboots.Admitted(
                          waits.host().id().name(),
                          waits.host().id().uid(),
                          waits.failedReboot().orElseThrow())))
              .withRow(
                  Stream.concat(last.row().stream(), Stream.of(at(now)))
                      .skip(Math.max(0, last.row().size() + 1 - FailedReboots.ROW))
                      .toList());
      case Decision.Held _ -> last;
    };
  }

  private static Instant at(Instant now) {
    return now.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Those that wait, with what holds them. */
  private static FailedReboots waiting(
      PoolSnapshot seen, FailedReboots next, Decision decision, Instant now) {
    List<String> names =
        seen.members()
            .having(Members.Trait.LOST)
            .filter(member -> !isAdmitted(next, member))
            .limit(FailedReboots.NAMED)
            .map(member -> member.host().id().name())
            .toList();
    boolean held =
        !names.isEmpty()
            && next.heldSince().isEmpty()
            && decision instanceof Decision.Held(Limit limit, _, _)
            && limit == Limit.IN_A_ROW;
    return (held ? next.withHeldSince(Optional.of(at(now))) : next)
        .withWaiting(next.waiting(seen.members()))
        .withNames(names)
        .withWhy(names.isEmpty() ? "" : why(decision));
  }

  private static boolean isAdmitted(FailedReboots failed, Member member) {
    return failed.admitted().filter(each -> each.isOf(member)).isPresent();
  }

  private static LostNodes of(RepairLimits limits) {
    FailedReboots failed = limits.failed();
    Instant now = limits.now();
    Instant window = now.minus(WINDOW.dividedBy(limits.settings().speed()));
    Instant since = limits.seen().members().lastBack().filter(window::isBefore).orElse(window);
    return new LostNodes(
        failed.heldSince().isPresent()
            ? failed.row()
            : failed.row().stream().filter(since::isBefore).toList(),
        limits.inPool(),
        limits.most(),
        limits.inFleet(),
        limits.dueAt(),
        now);
  }

  /** Whether one more may leave. */
  Decision decision() {
    if (row.size() >= FailedReboots.ROW) {
      return new Decision.Held(Limit.IN_A_ROW, row.size(), FailedReboots.ROW);
    }
    return RepairLimits.decision(inPool, most, inFleet, dueAt, now);
  }

  private static String why(Decision decision) {
    return switch (decision) {
      case Decision.Admitted _ -> "";
      case Decision.Held held -> why(held);
    };
  }

  private static String why(Decision.Held held) {
    String most = Messages.count(held.most(), "Node");
    return switch (held.limit()) {
      case FLEET_UNKNOWN -> "The fleet cannot be reached.";
      case IN_A_ROW ->
          "%s in a row were let go, and none came back meanwhile: no other one leaves until a person releases that."
              .formatted(Messages.count(held.count(), "Node"));
      case IN_FLIGHT ->
          "%d of at most %s of the NodePool leave at present.".formatted(held.count(), most);
      case IN_FLIGHT_IN_FLEET ->
          "%d of at most %s of all NodePools leave at present.".formatted(held.count(), most);
      case RATE -> "At most one leaves each minute.";
      case UNWATCHED -> "No operator watched for a while; none leaves yet.";
      case PAUSED, AT_ONCE, UNAVAILABLE -> throw new IllegalStateException(held.toString());
    };
  }
}
