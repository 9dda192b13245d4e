package io.nodepool.whatif;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.model.Observation;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The part of a cluster that a question can concern: pools and machines of the same types. */
public final class Scope {
  private Scope() {}

  /** The listed objects that the question can concern. */
  static List<Observation> of(Question question, List<Observation> listed) {
    Set<String> types = types(question, listed);
    Set<String> hosts =
        hosts(listed)
            .filter(host -> types.contains(host.machine().instanceType()))
            .map(Host::id)
            .map(HostId::name)
            .collect(Collectors.toCollection(HashSet::new));
    return listed.stream().filter(each -> concerns(each, types, hosts)).toList();
  }

  private static Set<String> types(Question question, List<Observation> listed) {
    Set<String> pools = Set.copyOf(question.poolNames());
    Set<String> machines = Set.copyOf(question.machineNames());
    Set<String> types = new HashSet<>();
    question.instanceType().ifPresent(types::add);
    if (question instanceof Question.Apply(List<Question.Wanted> wanted)) {
      wanted.forEach(each -> types.add(each.spec().instanceType()));
    }
    for (Observation each : listed) {
      if (each instanceof Observation.PoolSeen(var pool) && pools.contains(pool.id().name())) {
        types.add(pool.spec().instanceType());
      } else if (each instanceof Observation.HostSeen(Host host)
          && machines.contains(host.id().name())) {
        types.add(host.machine().instanceType());
      }
    }
    return types;
  }

  /** The listed Hosts. */
  public static Stream<Host> hosts(List<Observation> listed) {
    return listed.stream()
        .flatMap(each ->
            each instanceof Observation.HostSeen(Host host) ? Stream.of(host) : Stream.empty());
  }

  private static boolean concerns(Observation each, Set<String> types, Set<String> hosts) {
    return switch (each) {
      case Observation.PoolSeen(var pool) -> types.contains(pool.spec().instanceType());
      case Observation.HostSeen(Host host) -> hosts.contains(host.id().name());
      case Observation.NodeSeen(var node) -> hosts.contains(node.name());
      case Observation.PodSeen(var pod) -> hosts.contains(pod.nodeName());
      case Observation.SignalsSeen(var about) -> hosts.contains(about.host());
      default -> true;
    };
  }
}
