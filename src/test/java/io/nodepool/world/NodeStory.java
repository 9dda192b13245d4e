package io.nodepool.world;

import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What a client that watches one Node sees of its lifecycle, a line for each change, and what
 * clients do to request a state of it.
 */
final class NodeStory {
  private final Drill drill;
  private final WorldCluster cluster;
  private final String name;
  private final String uid;
  private final List<String> lines = new ArrayList<>();
  private String boot;
  private int boots;

  /** Watches the Node from now on. */
  NodeStory(Drill drill, Node node) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.name = node.name();
    this.uid = node.uid();
    this.boot = node.status().bootId();
    cluster.watch(WorldCluster.Kind.NODES, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node next) && next.uid().equals(uid)) {
      if (!next.status().bootId().equals(boot)) {
        boot = next.status().bootId();
        boots++;
      }
      String line = line(next);
      if (lines.isEmpty() || !lines.getLast().equals(line)) {
        lines.add(line);
      }
    }
  }

  private String line(Node node) {
    List<String> facts = new ArrayList<>();
    Node.Lifecycle lifecycle = node.status().lifecycle();
    facts.add("%s/%s".formatted(node.metadata().label(NodeLabels.STATE), lifecycle.phase()));
    String requested = node.metadata().label(NodeLabels.PENDING_STATE);
    if (!requested.isEmpty() || lifecycle.pending().isPresent()) {
      facts.add(
          "pending %s/%s"
              .formatted(
                  requested.isEmpty() ? "-" : requested,
                  lifecycle
                      .pending()
                      .map(each -> each.reason() + (each.entries() > 1 ? " twice" : ""))
                      .orElse("-")));
    }
    facts.add(node.activity().filter(Node.Activity::active).isPresent() ? "active" : "idle");
    add(facts, node.cordoned(), "cordoned");
    add(facts, reserved(node), "reserved");
    add(facts, !node.ready(), "NotReady");
    add(facts, lifecycle.rebooting(), "rebooting");
    add(facts, boots > 0, "boot +" + boots);
    add(facts, node.removing().isPresent(), "leaving");
    return String.join(", ", facts);
  }

  private static void add(List<String> facts, boolean holds, String fact) {
    if (holds) {
      facts.add(fact);
    }
  }

  private static boolean reserved(Node node) {
    return node.metadata().taints().stream()
        .map(Taint::key)
        .anyMatch(NodeTaints.RESERVED.key()::equals);
  }

  /** The lines so far. */
  List<String> lines() {
    return lines;
  }

  /** The Node as it is now. */
  Node now() {
    return Optional.ofNullable(cluster.nodes().get(name)).orElseThrow();
  }

  /** Sets the label by which a state is requested. */
  NodeStory label(LifecycleState state) {
    return label(state.word());
  }

  /** Sets the label by which a state is requested. */
  NodeStory label(String state) {
    cluster.nodeClients().label(name, NodeLabels.PENDING_STATE.key(), Optional.of(state));
    return this;
  }

  /** Takes the label off. */
  NodeStory unlabel() {
    cluster.nodeClients().label(name, NodeLabels.PENDING_STATE.key(), Optional.empty());
    return this;
  }

  /** Appends the condition by which a state is requested. */
  NodeStory condition(LifecycleState state) {
    cluster.nodeClients().appendPending(name, state.word(), drill.world.instant());
    return this;
  }

  /** Requests a state as a client that knows the protocol: the condition, then the label. */
  NodeStory request(LifecycleState state) {
    return condition(state).label(state);
  }

  /** Requests a state at once. */
  NodeStory force(LifecycleState state) {
    cluster
        .nodeClients()
        .annotation(name, NodeAnnotations.REBOOT_POLICY.key(), Optional.of("Immediate"));
    return request(state);
  }
}
