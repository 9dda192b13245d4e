package io.nodepool.explain;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Why a Host is free and not assigned, set aside, or in doubt, and what is reported about it.
 *
 * @param assigned whether a pool holds it, or gets it next, and why
 * @param signals what the alerts about its machine ask for
 */
public record HostExplanation(
    String host, NodeExplanation.Statement assigned, List<String> signals) {
  public HostExplanation {
    signals = List.copyOf(signals);
  }

  /**
   * Explains the Host of a machine.
   *
   * @param pools all pools
   */
  static HostExplanation of(
      PoolPlanner planner, MachineSnapshot seen, Stream<PoolSnapshot> pools, Instant now) {
    return new HostExplanation(
        seen.host().id().name(), assigned(planner, seen, pools, now), signals(seen));
  }

  private static NodeExplanation.Statement assigned(
      PoolPlanner planner, MachineSnapshot seen, Stream<PoolSnapshot> pools, Instant now) {
    Host host = seen.host();
    if (host.assignment().isPresent()) {
      return answer(true, "NodePool %s holds it".formatted(host.assignment().get().pool().name()));
    }
    DeliveryHistory deliveries = host.deliveries();
    if (deliveries.isSetAside()) {
      return answer(false, "it is set aside until somebody releases it: " + deliveries.setAside());
    }
    if (!host.isFree()) {
      return answer(
          false, "its fleet reports the phase %s".formatted(host.report().phase().word()));
    }
    if (seen.node().filter(node -> !isOf(node, host)).isPresent()) {
      return answer(false, "a Node of an earlier Host has its name");
    }
    if (deliveries.failure().filter(each -> each.notBefore().isAfter(now)).isPresent()) {
      return answer(
          false,
          "its last delivery failed: %s; it waits until %s"
              .formatted(
                  deliveries.failure().get().cause(),
                  Messages.instant(deliveries.failure().get().notBefore())));
    }
    List<PoolSnapshot> ofType =
        pools
            .filter(pool -> pool.pool().spec().instanceType().equals(host.machine().instanceType()))
            .toList();
    return ofType.stream()
        .filter(pool -> gets(planner.plan(pool, now), host.id()))
        .findFirst()
        .map(pool -> answer(true, "NodePool %s gets it next".formatted(pool.pool().id().name())))
        .orElseGet(() -> answer(false, notWanted(planner, host, ofType, now)));
  }

  private static boolean isOf(Node node, Host host) {
    return node.hostUid().equals(host.id().uid());
  }

  private static boolean gets(PoolPlan plan, HostId host) {
    return plan.plannedActions().stream()
        .anyMatch(each ->
            each.action() instanceof Action.OnHost(HostOperation.Assign assign)
                && assign.host().equals(host));
  }

  private static String notWanted(
      PoolPlanner planner, Host host, List<PoolSnapshot> ofType, Instant now) {
    String type = host.machine().instanceType();
    if (ofType.isEmpty()) {
      return "no NodePool has its type, " + type;
    }
    List<String> waiting =
        ofType.stream()
            .map(pool -> planner.plan(pool, now))
            .flatMap(plan -> plan.status().condition(PoolCondition.AT_TARGET).stream())
            .filter(each -> each.reason().status() != PoolCondition.AT_TARGET.healthy())
            .map(each -> each.message())
            .toList();
    return waiting.isEmpty()
        ? "no NodePool of its type, %s, needs a machine".formatted(type)
        : "no NodePool of its type, %s, gets it now: %s".formatted(type, String.join(" ", waiting));
  }

  private static NodeExplanation.Statement answer(boolean does, String why) {
    return new NodeExplanation.Statement("assigned", does, why);
  }

  private static List<String> signals(MachineSnapshot seen) {
    return NeededRepairs.of(seen.health()).all().stream()
        .map(each ->
            "%s, since %s: %s"
                .formatted(each.alert(), Messages.instant(each.since()), each.grade().meaning()))
        .toList();
  }
}
