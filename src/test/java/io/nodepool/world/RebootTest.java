package io.nodepool.world;

import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests reboots that clients request, on the virtual clock (contract §12). */
class RebootTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();
  private final Drill.PoolDrill pool = drill.pool("a");
  private final List<String> story = new ArrayList<>();

  private Node grown() {
    pool.target(1).settle();
    return pool.nodes().getFirst();
  }

  private Node now(Node node) {
    return Optional.ofNullable(cluster.nodes().get(node.name())).orElseThrow();
  }

  private Host host(Node node) {
    return Optional.ofNullable(cluster.hosts().get(node.name())).orElseThrow();
  }

  private void label(Node node, LifecycleState state) {
    cluster.editNode(
        node.name(),
        metadata -> {
          SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
          labels.put(NodeLabels.PENDING_STATE.key(), state.word());
          return metadata.withLabels(labels);
        });
  }

  /** Records what a client that watches the Node sees, each time that it changes. */
  private void watch(Node node) {
    cluster.watch(
        WorldCluster.Kind.NODES,
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node next) && next.uid().equals(node.uid())) {
            String text = text(next, node);
            if (story.isEmpty() || !story.getLast().equals(text)) {
              story.add(text);
            }
          }
        });
  }

  private static String text(Node next, Node before) {
    List<String> facts = new ArrayList<>();
    facts.add(next.metadata().label(NodeLabels.STATE));
    facts.add("phase " + next.status().lifecycle().phase());
    next.status().lifecycle().pending().ifPresent(each -> facts.add("pending " + each.phase()));
    if (!next.metadata().label(NodeLabels.PENDING_STATE).isEmpty()) {
      facts.add("requested");
    }
    if (next.cordoned()) {
      facts.add("cordoned");
    }
    facts.add(next.activity().filter(Node.Activity::active).isPresent() ? "active" : "idle");
    if (next.status().lifecycle().rebooting()) {
      facts.add("rebooting");
    }
    if (!next.status().bootId().equals(before.status().bootId())) {
      facts.add("booted");
    }
    if (!next.ready()) {
      facts.add("NotReady");
    }
    if (next.metadata().taints().stream()
        .anyMatch(taint -> taint.key().equals("node.coreweave.cloud/reserved"))) {
      facts.add("reserved");
    }
    return String.join(", ", facts);
  }

  @Test
  void anIdleNodeIsRebootedAndReturnsToProduction() {
    Node node = grown();
    watch(node);
    label(node, LifecycleState.POWER_RESET);
    drill.settle();

    story.forEach(System.err::println);
    drill.world.cluster().events().values().stream()
        .map(Object::toString)
        .forEach(System.err::println);
    assertThat(host(node).report().boot().cycles()).isEqualTo(1);
  }

  @Test
  void aBusyNodeIsRebootedOnceItIsIdle() {
    Node node = grown();
    Pod pod = cluster.bindPod("default", "train", node.name(), "ReplicaSet");
    drill.advance(10, SECONDS);
    watch(node);
    label(node, LifecycleState.REBOOT);
    drill.advance(600, SECONDS);
    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.settle();
    story.forEach(System.err::println);
    assertThat(host(node).report().boot().cycles()).isEqualTo(1);
    assertThat(now(node).cordoned()).isFalse();
  }
}
