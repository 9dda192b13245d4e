package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.DeliveryHistory.Suspect;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.BootFailures;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.MachineOutageCause;
import io.nodepool.plan.disruption.cause.RegistrationFailedCause;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Checks that the assigned machines boot and register in time. A machine that does not is returned
 * to the fleet, the failure is recorded on its Host, and the pool takes another Host.
 *
 * @param refused whether the API server denies the pool's Nodes; no machine is then late to
 *     register
 */
public record Delivery(PoolSnapshot seen, boolean refused, Instant now, PlanSettings settings) {
  private static final int NAMED = 5;

  /**
   * The actions for machines that are late.
   *
   * @param members the members whose delivery failed, with or without a Node
   * @param plannedActions the actions that return the late machines to the fleet, as far as their
   *     failures are published
   * @param returned the members that are returned
   * @param wakeup when the next machine becomes late
   */
  public record Late(
      List<Member> members,
      List<PlannedAction> plannedActions,
      List<Member> returned,
      Optional<Instant> wakeup) {}

  /**
   * Finds the machines that are late now. While the fleet cannot be reached, no machine counts as
   * late (D13).
   *
   * @param stopped members that may leave, whose machines do not run any more
   */
  public Late check(List<Member> stopped) {
    if (!(seen.offer() instanceof PoolSnapshot.Offer.Known)) {
      return new Late(List.of(), List.of(), List.of(), Optional.empty());
    }
    // Ordered by UID, independently of how long each has waited.
    SortedMap<String, Member> found = new TreeMap<>();
    Stream.concat(
            seen.members().having(Members.Trait.FAILED_DELIVERY).filter(Delivery::isAwaited),
            stopped.stream())
        .forEach(member -> found.put(member.host().id().uid(), member));
    List<Instant> due = new ArrayList<>();
    overdue(Member.Awaited.DELIVERY, found).ifPresent(due::add);
    if (!refused) {
      overdue(Member.Awaited.REGISTRATION, found).ifPresent(due::add);
    }
    List<Member> all =
        found.values().stream().filter(member -> !isProtected(member, seen.pool())).toList();
    // A failure also counts against the configuration; it is published before the machine is
    // returned.
    List<Member> late =
        all.stream()
            .filter(
                member -> BootFailures.isPublished(seen.pool().status().configuration(), member))
            .toList();
    List<PlannedAction> plannedActions = new ArrayList<>();
    for (Member member : late) {
      boolean poolEventPlanned =
          plannedActions.stream().anyMatch(plannedAction -> !plannedAction.eventDrafts().isEmpty());
      returnToFleet(member, poolEventPlanned ? List.of() : List.of(ofPool(late)))
          .ifPresent(plannedActions::add);
      PowerOff.nextRead(member.findings().liveRead(), now).ifPresent(due::add);
    }
    return new Late(all, plannedActions, late, due.stream().min(Instant::compareTo));
  }

  /** Collects the members whose deadline for a step has passed. Returns the next deadline. */
  private Optional<Instant> overdue(Member.Awaited awaited, SortedMap<String, Member> found) {
    for (Member member : (Iterable<Member>) seen.members().waiting(awaited)::iterator) {
      if (isAwaited(member) && !found.containsKey(member.host().id().uid())) {
        Duration left = deadline(awaited).minus(member.waiting().orElseThrow().watched(now));
        if (left.isPositive()) {
          return Optional.of(now.plus(left));
        }
        found.put(member.host().id().uid(), member);
      }
    }
    return Optional.empty();
  }

  /** Whether nothing is being done about the member yet. */
  public static boolean isAwaited(Member member) {
    return member.underWay().isEmpty() && member.revocable().isEmpty() && !member.isFrozen();
  }

  /** Tenant work on a late machine keeps its Node, if the strategy protects it (decision D19). */
  public static boolean isProtected(Member member, Pool pool) {
    return member.workload().isBusy() && pool.spec().keepsBusyNodes();
  }

  private Duration deadline(Member.Awaited awaited) {
    return switch (awaited) {
      case DELIVERY, OUTAGE -> settings.delivery().deadline();
      case REGISTRATION -> settings.delivery().registrationDeadline();
    };
  }

  /**
   * Cancels the assignment of a machine that did not boot. A machine with a Node is removed by the
   * ordinary termination of that Node.
   */
  private Optional<PlannedAction> returnToFleet(Member member, List<EventDraft> before) {
    Host host = member.host();
    String cause = cause(member);
    List<EventDraft> eventDrafts = new ArrayList<>(before);
    if (member.isBooting()) {
      return Optional.of(
          new PlannedAction(
              eventDrafts,
              new Action.OnHost(
                  HostOperation.Cancel.of(
                      host, seen.pool().id(), Optional.of(failed(member, cause)))),
              cause));
    }
    eventDrafts.add(ofNode(member, cause));
    return member
        .node()
        .map(node ->
            new NodeRecord(node, seen.pool().id())
                .demand(disruptionCause(member), now)
                .after(eventDrafts))
        .or(() ->
            PowerOff.plannedAction(
                host,
                seen.pool().id(),
                member.findings().liveRead(),
                Optional.of(failed(member, cause)),
                eventDrafts,
                cause,
                now));
  }

  private DeliveryHistory failed(Member member, String cause) {
    Host host = member.host();
    return failed(
        host,
        cause,
        BootFailures.isHostToBlame(seen.pool().status().configuration(), host),
        BootFailures.suspect(host, member.node(), member.isAwaited(Member.Awaited.OUTAGE)),
        now,
        settings);
  }

  private static KnownCause disruptionCause(Member member) {
    return switch (member.waiting().orElseThrow().awaited()) {
      case OUTAGE -> new MachineOutageCause();
      case DELIVERY, REGISTRATION -> new RegistrationFailedCause();
    };
  }

  private String cause(Member member) {
    Member.Awaited awaited = member.waiting().orElseThrow().awaited();
    String within = " within " + Messages.duration(deadline(awaited));
    return switch (awaited) {
      case DELIVERY ->
          member.host().is(HostPhase.FAILED)
              ? "its fleet says that it failed"
              : "it did not come up" + within;
      case REGISTRATION -> "it came up and did not register" + within;
      case OUTAGE -> "it stopped by itself and did not come back" + within;
    };
  }

  /**
   * The history to record on a Host whose Node leaves: the failure that caused that and, whatever
   * the cause, the alert for which no pool may get the Host again (decision D311). A Host with a
   * held alert is assigned last. Empty if nothing is at fault.
   */
  static Optional<DeliveryHistory> failed(
      MachineSnapshot seen, Disruption.Committed removal, Instant now, PlanSettings settings) {
    Optional<DeliveryHistory> failed =
        removal.causes().stream()
            .flatMap(cause -> failure(seen, cause, now, settings).stream())
            .findFirst();
    return RepairCause.outOfService(seen)
        .map(alert -> failed.orElse(seen.host().deliveries()).setAsideFor(alert.text()))
        .or(() -> failed)
        .or(() ->
            RepairCause.outOnceReleased(seen)
                .map(alert ->
                    seen.host()
                        .deliveries()
                        .failed(
                            alert.text() + ", for which nothing is done yet",
                            Optional.empty(),
                            now,
                            _ -> Duration.ZERO)));
  }

  private static Optional<DeliveryHistory> failure(
      MachineSnapshot seen, Disruption.Cause cause, Instant now, PlanSettings settings) {
    Host host = seen.host();
    return switch (KnownCause.of(cause).kind().blame()) {
      case NONE -> Optional.empty();
      case REBOOT -> Optional.of(failedReboot(host, now, settings));
      case ALERT -> Optional.of(host.deliveries().setAsideFor(cause.text()));
      case DELIVERY -> {
        boolean isToBlame =
            seen.pool()
                .map(pool -> BootFailures.isHostToBlame(pool.status().configuration(), host))
                .orElse(true);
        Optional<Suspect> suspect =
            BootFailures.suspect(host, seen.presentNode(), cause.what().isOutage());
        yield Optional.of(failed(host, cause.text(), isToBlame, suspect, now, settings));
      }
    };
  }

  /**
   * The delivery history of a Host after one more failure.
   *
   * @param isToBlame whether the Host may be set aside; else the cause may be its configuration
   * @param suspect the configuration in which it failed; empty if its machine had booted with it
   */
  static DeliveryHistory failed(
      Host host,
      String cause,
      boolean isToBlame,
      Optional<Suspect> suspect,
      Instant now,
      PlanSettings settings) {
    DeliveryHistory next =
        host.deliveries().failed(cause, suspect, now, settings.delivery()::backOff);
    return next.failure()
        .filter(_ -> isToBlame)
        .filter(failure -> failure.count() >= settings.delivery().failuresBeforeSetAside())
        .map(failure -> next.setAsideFor(failure.inARow()))
        .orElse(next);
  }

  /** The delivery history of a Host that did not come back from its reboot: it is set aside. */
  static DeliveryHistory failedReboot(Host host, Instant now, PlanSettings settings) {
    int attempts = host.boot().map(BootRequest::attempt).orElse(0);
    String cause =
        "its machine did not come back from its reboot, in %s"
            .formatted(Messages.count(attempts, "attempt"));
    return host.deliveries()
        .failed(cause, BootFailures.suspectOfReboot(host), now, settings.delivery()::backOff)
        .setAsideFor(cause);
  }

  private EventDraft ofPool(List<Member> late) {
    List<String> names = late.stream().map(member -> member.host().id().name()).sorted().toList();
    Stream<String> causes = late.stream().map(this::cause).distinct().sorted();
    return new EventDraft(
        EventReason.NODE_DELIVER_FAIL,
        EventDraft.Regarding.of(seen.pool().id()),
        occasion(late.getFirst().host()),
        "%s given back, others are taken: %s (%s)."
            .formatted(
                Messages.count(names.size(), "Host"),
                Messages.list(names, NAMED),
                String.join("; ", causes.toList())),
        names.size());
  }

  /**
   * If the Node object does not exist, the Event names the Node that the machine was expected to
   * join as.
   */
  private EventDraft ofNode(Member member, String cause) {
    Host host = member.host();
    return new EventDraft(
        EventReason.NODE_REGISTRATION_FAILED,
        new EventDraft.Regarding(
            EventTarget.NODE, host.id().name(), member.node().map(Node::uid).orElse("")),
        occasion(host),
        "Machine %s of NodePool %s is given back: %s."
            .formatted(host.id().name(), seen.pool().id().name(), cause));
  }

  private static String occasion(Host host) {
    return host.id().uid() + "/" + host.tenancy();
  }
}
