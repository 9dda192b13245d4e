package io.nodepool.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.health.HostSignals;
import io.nodepool.health.SignalSource;
import io.nodepool.model.Namespace;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.PodBudget;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.pool.Pool;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is read of the objects of a virtual world is what an operator observes in it. */
final class RoundTrip {
  private RoundTrip() {}

  /** Asserts that nothing differs; the message names each field that does. */
  static void assertSame(
      WorldCluster cluster,
      Function<Node, RequestTimes> requests,
      List<PodBudget> budgets,
      ListedObjects read) {
    SortedMap<String, Object> expected = new TreeMap<>();
    Stream.of(WorldCluster.Kind.values())
        .flatMap(kind -> cluster.list(kind).stream())
        .map(RoundTrip::written)
        .forEach(each -> expected.put(key(each), each));
    cluster
        .nodes()
        .values()
        .forEach(node -> {
          RequestTimes times = requests.apply(node);
          if (times.label().isPresent() || times.policy().isPresent()) {
            Observation timed =
                new Observation.RequestTimed(node.name(), node.uid(), node.version(), times);
            expected.put(key(timed), timed);
          }
        });
    budgets.forEach(budget -> expected.put("budget " + budget.name(), there(budget, cluster)));
    SortedMap<String, Object> found = new TreeMap<>();
    read.observations().forEach(each -> found.put(key(each), each));
    read.budgets().forEach(each -> found.put("budget " + each.name(), each));
    Set<String> keys = new TreeSet<>(expected.keySet());
    keys.addAll(found.keySet());
    List<String> differences = new ArrayList<>();
    keys.forEach(key ->
        Differences.between(
            key,
            Optional.ofNullable(expected.get(key)),
            Optional.ofNullable(found.get(key)),
            differences));
    assertThat(differences).as("what is read of text, and not as it is").isEmpty();
  }

  private static String key(Observation seen) {
    String name =
        switch (seen) {
          case Observation.PoolSeen(Pool pool) -> pool.id().name();
          case Observation.HostSeen(Host host) -> host.id().name();
          case Observation.NodeSeen(Node node) -> node.name();
          case Observation.PodSeen(Pod pod) -> pod.namespace() + "/" + pod.name();
          case Observation.NamespaceSeen(Namespace namespace) -> namespace.name();
          case Observation.SignalsSeen(HostSignals about) -> about.host();
          case Observation.SourceSeen(SignalSource source) -> source.name();
          case Observation.RequestTimed timed -> timed.nodeName();
          default -> "";
        };
    return seen.getClass().getSimpleName() + " " + name;
  }

  /** What is observed of an object as a real API server has it, where a world has none of it. */
  private static Observation written(Observation seen) {
    return switch (seen) {
      case Observation.NodeSeen(Node node) -> new Observation.NodeSeen(withRecordText(node));
      case Observation.SignalsSeen(HostSignals about) ->
          new Observation.SignalsSeen(
              new HostSignals(
                  about.host(),
                  about.uid(),
                  about.hostUid(),
                  about.version(),
                  about.signals().stream()
                      // A monitor of a world need not confirm what it reports.
                      .map(each -> each.withReported(Optional.of(each.since())))
                      .toList(),
                  about.unreadable()));
      default -> seen;
    };
  }

  /** A world has no text of the record of a disruption. */
  private static Node withRecordText(Node node) {
    if (node.disruption().isEmpty()) {
      return node;
    }
    String key = NodeAnnotations.REMOVAL.key();
    SortedMap<String, String> all = new TreeMap<>(node.metadata().annotations());
    all.put(key, NodeObject.annotations(node).get(key));
    return node.withMetadata(node.metadata().withAnnotations(all));
  }

  /** A budget of Pods that exist; another one that ends is replaced by one that is not. */
  private static PodBudget there(PodBudget budget, WorldCluster cluster) {
    return new PodBudget(
        budget.name(),
        budget.pods().stream()
            .filter(uid -> cluster.pods().containsKey(uid))
            .collect(Collectors.toSet()),
        budget.allowed());
  }
}
