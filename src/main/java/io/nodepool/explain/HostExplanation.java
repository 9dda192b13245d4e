package io.nodepool.explain;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Why a Host is free and not assigned, set aside or in doubt, and its signals.
 *
 * @param assigned whether a pool holds it, or gets it next, and why
 * @param signals the actions for the alerts about its machine, and the signals without effect
 */
public record HostExplanation(String host, Statement assigned, List<String> signals) {
  private static final String ASSIGNED = "assigned";

  public HostExplanation {
    signals = List.copyOf(signals);
  }

  static HostExplanation unreadable(String host, String why) {
    return new HostExplanation(
        host,
        Statement.no(ASSIGNED, why + "; nothing is done to it until a person corrects that"),
        List.of());
  }

  /**
   * Explains the Host of a machine.
   *
   * @param pools all pools
   */
  static HostExplanation of(
      PoolPlanner planner,
      Unlisted unlisted,
      MachineSnapshot seen,
      Stream<PoolSnapshot> pools,
      Instant now) {
    return new HostExplanation(
        seen.host().id().name(),
        held(seen, now)
            .orElseGet(() ->
                unlisted.statement(
                    ASSIGNED,
                    EnumSet.of(ListedKind.POOLS, ListedKind.OFFER, ListedKind.NODES),
                    () -> free(planner, seen.host(), pools, now))),
        signals(unlisted, seen));
  }

  /** The answer of its own objects, if any. */
  private static Optional<Statement> held(MachineSnapshot seen, Instant now) {
    Host host = seen.host();
    if (host.assignment().isPresent()) {
      return Optional.of(
          Statement.yes(
              ASSIGNED,
              "NodePool %s holds it%s"
                  .formatted(
                      host.assignment().get().pool().name(),
                      fencing(host, now)
                          .or(() ->
                              host.hold(now)
                                  .map(hold -> "; nothing begins on it: %s".formatted(hold.text())))
                          .orElse(""))));
    }
    DeliveryHistory deliveries = host.deliveries();
    String suspect =
        deliveries
            .suspect()
            .map(each ->
                "; the configuration %s is in doubt too, and the Host is free if that is disabled"
                    .formatted(each.configuration()))
            .orElse("");
    return Stream.of(
            Optional.of(deliveries.setAside())
                .filter(_ -> deliveries.isSetAside())
                .map(why ->
                    "it is set aside until a person releases it (kubectl nodepool host release %s): %s%s"
                        .formatted(host.id().name(), why, suspect)),
            Optional.of(host.report().phase().word())
                .filter(_ -> !host.isFree())
                .map("its fleet reports the phase %s"::formatted),
            host.hold(now).map(Host.Hold::text),
            seen.node()
                .filter(node -> !isOf(node, host))
                .map(_ -> "a Node of an earlier Host has its name"),
            deliveries
                .failure()
                .filter(each -> each.notBefore().isAfter(now))
                .map(each ->
                    "its last delivery failed: %s; it waits until %s%s"
                        .formatted(each.cause(), Messages.instant(each.notBefore()), suspect)))
        .flatMap(Optional::stream)
        .findFirst()
        .map(why -> Statement.no(ASSIGNED, why));
  }

  /** What keeps a machine assigned that failed and may still run. */
  private static Optional<String> fencing(Host host, Instant now) {
    return Optional.of(host)
        .filter(each -> each.mayStillRun(now))
        .map(each ->
            "; it failed and may still run (power %s): its Node stays, and it is not given back, until its fleet reports that it is off, or a person made sure: kubectl nodepool host fenced %s"
                .formatted(
                    each.report().power().map(reading -> reading.state().word()).orElse(""),
                    each.id().name()));
  }

  private static boolean isOf(Node node, Host host) {
    return node.hostUid().equals(host.id().uid());
  }

  private static Statement free(
      PoolPlanner planner, Host host, Stream<PoolSnapshot> pools, Instant now) {
    String type = host.machine().instanceType();
    SortedMap<String, PoolPlan> plans = new TreeMap<>();
    pools
        .filter(pool -> pool.pool().spec().instanceType().equals(type))
        .forEach(pool -> plans.put(pool.pool().id().name(), planner.plan(pool, now)));
    return plans.entrySet().stream()
        .filter(each -> gets(each.getValue(), host.id()))
        .findFirst()
        .map(each -> Statement.yes(ASSIGNED, "NodePool %s gets it next".formatted(each.getKey())))
        .orElseGet(() -> Statement.no(ASSIGNED, notWanted(type, plans)));
  }

  private static boolean gets(PoolPlan plan, HostId host) {
    return plan.plannedActions().stream()
        .anyMatch(each ->
            each.action() instanceof Action.OnHost(HostOperation.Assign assign)
                && assign.host().equals(host));
  }

  private static String notWanted(String type, SortedMap<String, PoolPlan> plans) {
    if (plans.isEmpty()) {
      return "no NodePool has its type, " + type;
    }
    List<String> waiting =
        plans.entrySet().stream()
            .flatMap(plan ->
                obstacle(plan.getValue()).stream()
                    .map(each -> "%s: %s".formatted(plan.getKey(), each)))
            .toList();
    return waiting.isEmpty()
        ? "no NodePool of its type, %s, needs a machine".formatted(type)
        : "no NodePool of its type, %s, gets it now: %s".formatted(type, String.join(" ", waiting));
  }

  /** What keeps a pool from growing; empty if it does not want to grow. */
  private static Optional<String> obstacle(PoolPlan plan) {
    return plan.figures()
        .claim()
        .filter(claim -> claim.target() > claim.held())
        .flatMap(_ ->
            Stream.of(
                    PoolCondition.VALIDATED,
                    PoolCondition.QUOTA,
                    PoolCondition.CAPACITY,
                    PoolCondition.AT_TARGET)
                .flatMap(type ->
                    plan
                        .status()
                        .condition(type)
                        .filter(each -> each.reason().status() != type.healthy())
                        .stream())
                .map(Condition::message)
                .findFirst());
  }

  private static List<String> signals(Unlisted unlisted, MachineSnapshot seen) {
    return Stream.of(
            unlisted.why(ListedKind.OF_REPAIRS).map("unknown: %s"::formatted).stream(),
            seen.health().standing().stream()
                .map(each ->
                    "%s since %s: %s %s%s"
                        .formatted(
                            each.name(),
                            Messages.instant(each.since()),
                            each.alert().grade().meaning(),
                            capitalized(
                                seen.pool()
                                    .flatMap(pool -> pool.repairs().suspect(each.name()))
                                    .map(suspect -> Reasons.of(suspect.verdict()))
                                    .orElse(Reasons.of(each.state()))),
                            seen.health()
                                .causeOf(each.name())
                                .map(cause ->
                                    "; it is a symptom of %s on %s, which is repaired first"
                                        .formatted(cause.alert(), cause.host()))
                                .orElse(""))),
            seen.health().dropped().entrySet().stream()
                .map(each -> "%s: %s".formatted(each.getKey().text(), Reasons.of(each.getValue()))))
        .flatMap(each -> each)
        .toList();
  }

  private static String capitalized(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }
}
