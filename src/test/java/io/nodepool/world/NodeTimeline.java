package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** When each thing first happened to one Node, its machine and its Pods, from a start on. */
final class NodeTimeline {
  /** The longest time in which a few steps of the operator take effect. */
  static final Duration REACTION = Duration.ofSeconds(2);

  /** Things that happen to a Node. */
  enum Fact {
    CORDONED,
    UNCORDONED,
    LABELLED,
    REASON_SET,
    REPORTED,
    COMMITTED,
    EVICTED_AT,
    POWERED_OFF,
    GONE
  }

  private final Drill drill;
  private final Node recorded;
  private final String node;
  private final String uid;
  private final Instant start;
  private final Map<Object, Instant> firsts = new LinkedHashMap<>();

  /** UIDs of the Node's Pods. */
  private final Set<String> pods = new HashSet<>();

  /** Records from now on. */
  NodeTimeline(Drill drill, Node node) {
    this.drill = drill;
    this.recorded = node;
    this.node = node.name();
    this.uid = node.uid();
    this.start = drill.world.instant();
    WorldCluster cluster = drill.world.cluster();
    cluster.watch(WorldCluster.Kind.NODES, this::see);
    cluster.watch(WorldCluster.Kind.HOSTS, this::see);
    cluster.watch(WorldCluster.Kind.PODS, this::see);
    drill.world.afterEachStep(this::readEvents);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeSeen(Node next) && next.uid().equals(uid)) {
      see(next);
    } else if (seen instanceof Observation.NodeGone(_, String gone, _) && gone.equals(uid)) {
      note(Fact.GONE);
    } else if (seen instanceof Observation.HostSeen(Host host) && host.id().name().equals(node)) {
      noteIf(host.power() == Host.Power.OFF, Fact.POWERED_OFF);
    } else if (seen instanceof Observation.PodSeen(Pod pod) && pod.nodeName().equals(node)) {
      pods.add(pod.uid());
      noteIf(pod.deletedAt().isPresent(), "evicted " + pod.name());
    } else if (seen instanceof Observation.PodGone(String from, String gone, _)
        && from.equals(node)
        && pods.remove(gone)) {
      note("ended " + gone);
    }
  }

  private void see(Node next) {
    noteIf(next.cordoned(), Fact.CORDONED);
    noteIf(!next.cordoned() && firsts.containsKey(Fact.CORDONED), Fact.UNCORDONED);
    noteIf("true".equals(next.metadata().label(NodeLabels.PENDING_PREEMPTION)), Fact.LABELLED);
    noteIf(
        next.metadata().annotations().containsKey(NodeAnnotations.CORDON_REASON.key()),
        Fact.REASON_SET);
    noteIf(next.removing().isPresent(), Fact.REPORTED);
    noteIf(
        next.disruption().filter(Disruption.Committed.class::isInstance).isPresent(),
        Fact.COMMITTED);
    noteIf(!next.metadata().label(NodeLabels.EVICTED_AT).isEmpty(), Fact.EVICTED_AT);
  }

  private void readEvents() {
    drill.world.cluster().events().values().stream()
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(event -> event.regarding().uid().equals(uid))
        .forEach(event -> note(event.reason()));
  }

  private void noteIf(boolean holds, Object what) {
    if (holds) {
      note(what);
    }
  }

  private void note(Object what) {
    firsts.putIfAbsent(what, drill.world.instant());
  }

  /** The Node as it was at the start. */
  Node seen() {
    return recorded;
  }

  /** The name of the Node and its machine. */
  String name() {
    return node;
  }

  /** How long after the start it happened. */
  Duration at(Object what) {
    assertThat(firsts).containsKey(what);
    return Duration.between(start, firsts.get(what));
  }

  boolean has(Object what) {
    return firsts.containsKey(what);
  }

  /** It happened then, within the reaction of the operator. */
  NodeTimeline happened(Duration when, Object... what) {
    for (Object each : what) {
      assertThat(at(each)).as("%s", each).isBetween(when, when.plus(REACTION));
    }
    return this;
  }

  /** It did not happen yet. */
  NodeTimeline without(Object... what) {
    assertThat(firsts.keySet()).doesNotContain(what);
    return this;
  }

  /** Each of the three Events of the preemption was emitted once, in order, on the Node. */
  void hasTheThreeEventsOnce() {
    assertThat(drill.preemptionEvents(uid))
        .containsExactly(
            EventReason.PREEMPTION_PENDING.word() + " 1",
            EventReason.PREEMPTION_IN_PROGRESS.word() + " 1",
            EventReason.DELETED_FOR_PREEMPTION.word() + " 1");
    assertThat(at(EventReason.PREEMPTION_PENDING))
        .isLessThanOrEqualTo(at(EventReason.PREEMPTION_IN_PROGRESS));
    assertThat(at(EventReason.PREEMPTION_IN_PROGRESS))
        .isLessThanOrEqualTo(at(EventReason.DELETED_FOR_PREEMPTION));
  }
}
