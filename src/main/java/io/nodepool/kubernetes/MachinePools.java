package io.nodepool.kubernetes;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which pool a machine works for, by the name that its Host and Node share: the share that writes
 * on it count towards. Lives on the decision thread.
 */
final class MachinePools {
  private final Map<String, String> poolOf = new HashMap<>();

  /** Takes note of a Host's assignment. */
  void observe(Observation seen) {
    switch (seen) {
      case Observation.HostSeen(Host host) -> {
        Optional<Assignment> assignment = host.assignment();
        if (assignment.isPresent()) {
          poolOf.put(host.id().name(), assignment.get().pool().uid());
        } else {
          poolOf.remove(host.id().name());
        }
      }
      case Observation.HostGone(var host, long _) -> poolOf.remove(host.name());
      case Observation.PoolSeen _,
          Observation.PoolGone _,
          Observation.PoolFoundEmpty _,
          Observation.NodeSeen _,
          Observation.NodeGone _,
          Observation.PodSeen _,
          Observation.PodGone _,
          Observation.NamespaceSeen _,
          Observation.NamespaceGone _,
          Observation.OfferSeen _,
          Observation.OfferLost _ -> {}
    }
  }

  /** The UID of the pool that an object belongs to, or empty text. */
  String of(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfPool(var pool) -> pool.uid();
      case Action.Subject.OfHost(var host) -> poolOf.getOrDefault(host.name(), "");
      case Action.Subject.OfNode(String name, String _) -> poolOf.getOrDefault(name, "");
      case Action.Subject.OfNamespace _ -> "";
    };
  }
}
