package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/**
 * Tests that no request is repeated unchanged without a growing wait, whatever other clients do:
 * neither one that was accepted and has no effect, nor one whose effect is always undone.
 */
class BoundedWritesTest {
  private static final Duration MOMENT = Duration.ofMillis(20);

  private final Drill drill = Drill.calm(1);
  private final WorldCluster cluster = drill.world.cluster();

  private Node grown() {
    drill.pool("a").target(1).toRest();
    return drill.pool("a").nodes().getFirst();
  }

  private int of(String write) {
    return cluster.appliedWrites().of(write);
  }

  private Node node(String name) {
    return Optional.ofNullable(cluster.nodes().get(name)).orElseThrow();
  }

  /** Lets another controller act shortly after each change of a Node that matches. */
  private void whenever(Predicate<Node> holds, Consumer<Node> act) {
    cluster.watch(
        WorldCluster.Kind.NODES,
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node node) && holds.test(node)) {
            drill.world.later(MOMENT, () -> act.accept(node));
          }
        });
  }

  private List<String> reverted() {
    return drill
        .events(EventReason.CHANGE_REVERTED)
        .map(event -> event.eventDraft().message())
        .toList();
  }

  @Test
  void anotherClientsFinalizerIsWaitedForAndReported() {
    String name = grown().name();
    cluster.nodeClients().keep(name);
    drill.pool("a").delete().advance(30, MINUTES);

    assertThat(node(name).deleting()).isTrue();
    assertThat(of("delete Node")).isEqualTo(1);
    assertThat(drill.complaints()).isEmpty();
    assertThat(node(name).removing().orElseThrow().reason())
        .isEqualTo(NodeRemovalReason.AWAITING_FINALIZERS);
    assertThat(drill.pool("a").message(PoolCondition.NODES_REMOVED))
        .isEqualTo(
            "1 node left to remove: 1 being removed; finalizers keep 1 deleted node: %s."
                .formatted(name));

    cluster.nodeClients().letGo(name);
    drill.toRest();
    assertThat(cluster.pools()).isEmpty();
    assertThat(cluster.nodes()).isEmpty();
    assertThat(of("delete Node")).isEqualTo(1);
  }

  @Test
  void aLabelThatIsChangedBackEachTimeIsSetAtGrowingIntervalsAndThatIsReportedOnce() {
    drill.pool("a").target(1).toRest();
    drill.pool("a").carrying(Drill.template(Map.of("team", "a"), Map.of())).toRest();
    whenever(
        node -> "a".equals(node.metadata().labels().get("team")),
        node ->
            cluster
                .nodeClients()
                .metadata(node.name(), metadata -> label(metadata, "team", "theirs")));
    int before = of("apply metadata");
    drill.pool("a").everyNode(metadata -> label(metadata, "team", "theirs")).advance(10, SECONDS);
    assertThat(of("apply metadata") - before).isBetween(4, 7);

    before = of("apply metadata");
    drill.advance(10, MINUTES);
    assertThat(of("apply metadata") - before).isBetween(18, 22);
    assertThat(reverted())
        .singleElement()
        .asString()
        .contains("label team was set 5 times and did not stay");
  }

  @Test
  void aChangeOfTheSpecDoesNotWaitForAnotherKeyThatIsUndone() {
    drill.pool("a").target(1).toRest();
    drill.pool("a").carrying(Drill.template(Map.of("team", "a"), Map.of())).toRest();
    whenever(
        node -> "a".equals(node.metadata().labels().get("team")),
        node ->
            cluster
                .nodeClients()
                .metadata(node.name(), metadata -> label(metadata, "team", "theirs")));
    drill.pool("a").everyNode(metadata -> label(metadata, "team", "theirs")).advance(5, MINUTES);

    drill
        .pool("a")
        .carrying(Drill.template(Map.of("team", "a", "stage", "one"), Map.of()))
        .advance(2, SECONDS);
    assertThat(drill.pool("a").nodes().getFirst().metadata().labels())
        .containsEntry("stage", "one");
  }

  @Test
  void aDrainingNodeThatIsUncordonedEachTimeIsCordonedAtGrowingIntervals() {
    Node node = grown();
    Pod work = cluster.bindPod("default", "work", node.name(), "ReplicaSet");
    cluster.workloads().guard(work.uid());
    drill.toRest();
    whenever(
        seen -> seen.cordoned() && seen.isDraining(),
        seen -> cluster.nodeClients().cordon(seen.name(), false));
    drill
        .pool("a")
        .strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE)
        .pool("a")
        .target(0)
        .advance(30, SECONDS);
    int before = of("cordon Node");
    drill.advance(10, MINUTES);

    assertThat(of("cordon Node") - before).isBetween(18, 22);
    assertThat(reverted()).singleElement().asString().contains("the cordon was set 5 times");
  }

  @Test
  void anAdmissionThatEndsBecauseItsNodeIsUncordonedIsWrittenAtGrowingIntervals() {
    grown();
    whenever(
        seen -> seen.cordoned() && seen.disruption().orElse(null) instanceof Disruption.Admitted,
        seen -> cluster.nodeClients().cordon(seen.name(), false));
    drill.pool("a").target(0).advance(1, MINUTES);
    int before = of("mark Node");
    drill.advance(10, MINUTES);

    assertThat(of("mark Node") - before).isLessThan(22);
    assertThat(of("unmark Node")).isGreaterThanOrEqualTo(of("mark Node") - 1);
  }

  @Test
  void conditionsThatAreRemovedEachTimeAreSetAtGrowingIntervals() {
    grown();
    whenever(Node::registered, node -> cluster.nodeClients().stripConditions(node.name()));
    cluster.nodeClients().stripConditions(drill.pool("a").nodes().getFirst().name());
    drill.advance(1, MINUTES);
    int before = cluster.appliedWrites().total() - of("publish status");
    drill.advance(10, MINUTES);

    assertThat(cluster.appliedWrites().total() - of("publish status") - before).isBetween(18, 22);
    assertThat(reverted()).singleElement().asString().contains("condition CWActive");
  }

  @Test
  void activityThatChangesWithTheWorkIsReportedAtOnce() {
    Node node = grown();
    for (int i = 0; i < 20; i++) {
      Pod work = cluster.bindPod("default", "work", node.name(), "ReplicaSet");
      drill.advance(1, SECONDS);
      assertThat(node(node.name()).activity().orElseThrow().active()).isTrue();
      drill.advance(5, SECONDS);
      cluster.deletePod(work.uid(), drill.world.instant());
      drill.advance(1, SECONDS);
      assertThat(node(node.name()).activity().orElseThrow().active()).isFalse();
      drill.advance(5, SECONDS);
    }
    assertThat(reverted()).isEmpty();
  }

  @Test
  void aNamespacesLabelThatIsRemovedEachTimeIsSetAtGrowingIntervals() {
    cluster.watch(
        WorldCluster.Kind.NAMESPACES,
        seen -> {
          if (seen instanceof Observation.NamespaceSeen(var namespace)
              && namespace.name().equals("kube-system")
              && namespace.organization().isPresent()) {
            drill.world.later(
                MOMENT, () -> cluster.namespaces().label(namespace.name(), Optional.empty()));
          }
        });
    drill.advance(1, MINUTES);
    int before = of("label Namespace");
    drill.advance(10, MINUTES);

    assertThat(of("label Namespace") - before).isBetween(18, 22);
    assertThat(drill.events(EventReason.CHANGE_REVERTED))
        .singleElement()
        .satisfies(event ->
            assertThat(event.eventDraft().regarding().kind()).isEqualTo(EventTarget.NAMESPACE));
  }

  /** A writer that loses all assignments before they take effect. */
  private record LostAssignments(Writer writer) implements Writer {
    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
      if (action instanceof Action.OnHost(HostOperation.Assign assign)
          && assign.pool().name().equals("gone")) {
        writer.read(action.subject(), _ -> answer.accept(new Answer.Unknown<>("no answer")));
      } else {
        writer.submit(eventDrafts, action, answer);
      }
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  @Test
  void writesInDoubtOfADeletedPoolAreReadBack() {
    Drill deaf =
        Drill.with(1, Faults.NONE, OperatorOverrides.AS_BUILT.withWriter(LostAssignments::new));
    deaf.pool("gone").target(10).advance(10, SECONDS);
    deaf.pool("gone").delete();
    deaf.world.cluster().stripFinalizer("gone");
    deaf.pool("b").target(10).toRest();

    assertThat(deaf.pool("b").nodes()).hasSize(10);
    assertThat(Leftovers.of(deaf.world)).isEmpty();
  }

  @Test
  void noRecordOfWritesIsHeldAtRest() {
    grown();
    drill.pool("a").target(0).toRest();

    assertThat(Leftovers.of(drill.world)).isEmpty();
  }

  private static NodeMetadata label(NodeMetadata metadata, String key, String value) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.put(key, value);
    return metadata.withLabels(labels);
  }
}
