package io.nodepool.plan.repair;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Limit;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which Nodes leave because their machines did not come back from their reboots (decision D221). A
 * broken verification fails on every machine, so few Nodes leave at once, and at most one each
 * minute. After a few in a row, no Node leaves until a person releases that. A Node whose machine
 * comes back is never held.
 */
public final class LostNodes {
  /** The time within which Nodes count as in a row. */
  private static final Duration WINDOW = Duration.ofMinutes(10);

  private LostNodes() {}

  /**
   * The next state of the failed reboots of a pool.
   *
   * @param next the state that its status publishes
   * @param wakeup when the rate permits the next Node to leave
   */
  public record Outlook(FailedReboots next, Optional<Instant> wakeup) {}

  /** The failed reboots of a pool now: at most one more of its Nodes may leave. */
  public static Outlook plan(PoolSnapshot seen, Instant now, PlanSettings settings) {
    FailedReboots published = seen.pool().status().failedReboots();
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
    RepairLimits limits =
        decision(before).isAdmitted()
            ? before.withFailed(admitted(last, waits.get(), now))
            : before;
    return new Outlook(
        waiting(limits),
        inRow(limits) < FailedReboots.ROW ? Optional.of(limits.nextDue()) : Optional.empty());
  }

  private static FailedReboots admitted(FailedReboots last, Member member, Instant now) {
    return last.withAdmitted(
            Optional.of(
                new FailedReboots.Admitted(
                    member.host().id().name(),
                    member.host().id().uid(),
                    member.failedReboot().orElseThrow())))
        .withRow(
            Stream.concat(last.row().stream(), Stream.of(at(now)))
                .skip(Math.max(0, last.row().size() + 1 - FailedReboots.ROW))
                .toList());
  }

  private static Instant at(Instant now) {
    return now.truncatedTo(ChronoUnit.MILLIS);
  }

  /** The state with the Nodes that wait, and what holds them. */
  private static FailedReboots waiting(RepairLimits limits) {
    FailedReboots next = limits.failed();
    PoolSnapshot seen = limits.seen();
    Decision decision = decision(limits);
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
    return (held ? next.withHeldSince(Optional.of(at(limits.now()))) : next)
        .withWaiting(next.waiting(seen.members()))
        .withNames(names)
        .withWhy(!names.isEmpty() && decision instanceof Decision.Held why ? why(why) : "");
  }

  private static boolean isAdmitted(FailedReboots failed, Member member) {
    return failed.admitted().filter(each -> each.isOf(member)).isPresent();
  }

  /** How many were admitted in a row, within {@link #WINDOW}. */
  private static int inRow(RepairLimits limits) {
    FailedReboots failed = limits.failed();
    Instant window = limits.now().minus(WINDOW.dividedBy(limits.settings().speed()));
    Instant since = limits.seen().members().lastBack().filter(window::isBefore).orElse(window);
    boolean isHeld = failed.heldSince().isPresent();
    return (int) failed.row().stream().filter(at -> isHeld || since.isBefore(at)).count();
  }

  private static Decision decision(RepairLimits limits) {
    return limits.unlessBraked(() -> decision(inRow(limits), limits.counted()));
  }

  /**
   * Whether one more may leave.
   *
   * @param inRow how many were admitted in a row
   * @param counted the decision of the limits that lost Nodes share with repairs
   */
  static Decision decision(int inRow, Decision counted) {
    return inRow >= FailedReboots.ROW
        ? new Decision.Held(Limit.IN_A_ROW, inRow, FailedReboots.ROW)
        : counted;
  }

  private static String why(Decision.Held held) {
    String most = Messages.count(held.most(), "Node");
    return switch (held.limit()) {
      case FLEET_UNKNOWN -> "The fleet cannot be reached.";
      case IN_A_ROW ->
          "%s in a row were removed, and none came back meanwhile: no other one leaves until a person releases that."
              .formatted(Messages.count(held.count(), "Node"));
      case IN_FLIGHT ->
          "Leaving at present: %d of at most %s of the NodePool.".formatted(held.count(), most);
      case IN_FLIGHT_IN_FLEET ->
          "Leaving at present: %d of at most %s of all NodePools.".formatted(held.count(), most);
      case RATE -> "At most one leaves each minute.";
      case CATALOGUE_UNREADABLE -> "The alert catalogue cannot be read; none leaves yet.";
      case UNWATCHED -> "No operator watched for a while; none leaves yet.";
      case PAUSED, MACHINE, AT_ONCE, UNAVAILABLE ->
          throw new IllegalStateException(held.toString());
    };
  }
}
