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
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Why a Host is free and not assigned, or set aside, and what is reported about it.
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
      return answer(false, "it is set aside until a person releases it: " + deliveries.setAside());
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
    String type = host.machine().instanceType();
    SortedMap<String, PoolPlan> plans = new TreeMap<>();
    pools
        .filter(pool -> pool.pool().spec().instanceType().equals(type))
        .forEach(pool -> plans.put(pool.pool().id().name(), planner.plan(pool, now)));
    return plans.entrySet().stream()
        .filter(each -> gets(each.getValue(), host.id()))
        .findFirst()
        .map(each -> answer(true, "NodePool %s gets it next".formatted(each.getKey())))
        .orElseGet(() -> answer(false, notWanted(type, plans.values())));
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

  private static String notWanted(String type, Collection<PoolPlan> plans) {
    if (plans.isEmpty()) {
      return "no NodePool has its type, " + type;
    }
    List<String> waiting =
        plans.stream()
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
