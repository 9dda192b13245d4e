package io.nodepool.whatif;

import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A question about a change that a client, a fleet or a machine would make now. */
public sealed interface Question {
  /**
   * Another size of a pool.
   *
   * @param size in Nodes, or in racks if the pool is sized in racks
   */
  record Scale(String pool, int size) implements Question {}

  /** The pending configuration of a pool becomes its active one. */
  record Upgrade(String pool) implements Question {}

  /** The Nodes of a pool are rebooted into its active configuration, with these settings. */
  record RolloutStart(String pool, RolloutSettings settings) implements Question {}

  /** Nodes are cordoned. */
  record Cordon(List<String> nodes) implements Question {}

  /** Nodes are cordoned, and their Pods evicted. */
  record DrainOfNodes(List<String> nodes) implements Question {}

  /**
   * A reboot of Nodes is requested.
   *
   * @param state the requested state
   * @param immediate whether it is done even if the Nodes are busy
   */
  record Reboot(List<String> nodes, LifecycleState state, boolean immediate) implements Question {}

  /**
   * Machines lose power.
   *
   * @param lasts how long
   */
  record Lost(List<String> hosts, Duration lasts) implements Question {}

  /** The quota of an instance type changes. */
  record OtherQuota(String type, int nodes) implements Question {}

  /** The fleet wants machines of spot pools back. */
  record Preempt(List<String> hosts) implements Question {}

  /** An alert about a machine is reported, and true. */
  record TrueAlert(String host, String alert) implements Question {}

  /** NodePools are created or changed. */
  record Apply(List<Wanted> wanted) implements Question {}

  /** A NodePool with its wanted spec. */
  record Wanted(String name, PoolSpec spec) {}

  /** The names of its pools; empty if it is about machines or a type. */
  default List<String> poolNames() {
    return switch (this) {
      case Scale scale -> List.of(scale.pool());
      case Upgrade upgrade -> List.of(upgrade.pool());
      case RolloutStart rollout -> List.of(rollout.pool());
      case Apply apply -> apply.wanted().stream().map(Wanted::name).toList();
      case Cordon _, DrainOfNodes _, Reboot _, Lost _, OtherQuota _, Preempt _, TrueAlert _ ->
          List.of();
    };
  }

  /** The names of its machines or Nodes. */
  default List<String> machineNames() {
    return switch (this) {
      case Cordon cordon -> cordon.nodes();
      case DrainOfNodes drain -> drain.nodes();
      case Reboot reboot -> reboot.nodes();
      case Lost lost -> lost.hosts();
      case Preempt preempt -> preempt.hosts();
      case TrueAlert alert -> List.of(alert.host());
      case Scale _, Upgrade _, RolloutStart _, OtherQuota _, Apply _ -> List.of();
    };
  }

  /** The instance type that it names. */
  default Optional<String> instanceType() {
    return this instanceof OtherQuota quota ? Optional.of(quota.type()) : Optional.empty();
  }
}
