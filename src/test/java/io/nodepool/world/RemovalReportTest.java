package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.NodePurpose;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Tests a pool's reports about the removal of its Nodes. */
class RemovalReportTest {
  private Predicate<Action> refused = action -> false;
  private final Drill drill =
      Drill.with(41, Faults.NONE, OperatorOverrides.AS_BUILT.withWriter(Stubborn::new));

  /** An API server that refuses some writes. */
  private final class Stubborn implements Writer {
    private final Writer writer;

    Stubborn(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(
        List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
      if (refused.test(action)) {
        // The answer arrives later, as every answer does.
        writer.read(action.subject(), seen -> answer.accept(new Answer.Refused<>("not allowed")));
      } else {
        writer.submit(eventDrafts, action, answer);
      }
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  private List<Node> grown(int nodes) {
    drill.pool("a").target(nodes).toRest();
    return drill.pool("a").nodes();
  }

  private List<EventDraft> onPool(EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(eventDraft -> eventDraft.regarding().kind() == EventTarget.POOL)
        .toList();
  }

  private int emittedOnPool(EventReason reason) {
    return onPool(reason).stream().mapToInt(EventDraft::count).sum();
  }

  private void askFor(Node node) {
    drill
        .world
        .cluster()
        .nodeClients()
        .label(node.name(), NodeLabels.REMOVE_NODE.key(), Optional.of("true"));
  }

  @Test
  void anAdmissionThatIsSwappedForAClientsChoiceIsReportedWithItsCordonTakenBack() {
    List<Node> nodes = grown(3);
    drill.pool("a").target(2).advance(2, SECONDS);
    Node chosen = drill.pool("a").nodes().stream().filter(Node::cordoned).findFirst().orElseThrow();
    Node asked =
        nodes.stream().filter(node -> !node.name().equals(chosen.name())).findFirst().orElseThrow();
    askFor(asked);
    drill.toRest();

    assertThat(drill.pool("a").nodes())
        .extracting(Node::name)
        .contains(chosen.name())
        .doesNotContain(asked.name());
    assertThat(emittedOnPool(EventReason.NODE_CORDONED)).isEqualTo(2);
    assertThat(onPool(EventReason.NODE_UNCORDONED))
        .singleElement()
        .satisfies(eventDraft -> {
          assertThat(eventDraft.count()).isEqualTo(1);
          assertThat(eventDraft.message()).contains(chosen.name());
        });
  }

  @Test
  void aClientsCordonIsNotReportedAsTheOperators() {
    List<Node> nodes = grown(4);
    drill.world.cluster().nodeClients().cordon(nodes.getFirst().name(), true);
    drill.advance(1, MINUTES).pool("a").target(2).toRest();

    assertThat(emittedOnPool(EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE)).isEqualTo(2);
    assertThat(onPool(EventReason.NODE_CORDONED))
        .singleElement()
        .satisfies(eventDraft -> {
          assertThat(eventDraft.count()).isEqualTo(1);
          assertThat(eventDraft.message()).doesNotContain(nodes.getFirst().name());
        });
  }

  @Test
  void aRemovalThatFailsRepeatedlyIsReportedOnAPoolThatIsNotDeleted() {
    grown(3);
    refused = Action.DeleteNode.class::isInstance;
    drill.pool("a").target(2).advance(20, MINUTES);

    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR))
        .singleElement()
        .satisfies(eventDraft -> {
          assertThat(eventDraft.count()).isEqualTo(1);
          assertThat(eventDraft.message()).contains("1 Node (", "deleting Node g", "not allowed");
        });
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .contains("1 node cannot be removed at present: deleting Node g");

    refused = action -> false;
    drill.toRest();
    assertThat(drill.pool("a").nodes()).hasSize(2);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).hasSize(1);
  }

  /**
   * What fails after a removal was withdrawn is no removal that fails, nor is what failed before.
   */
  @Test
  void aNodeThatStaysIsNotReportedAsOneThatCannotBeRemoved() {
    grown(2);
    refuse(NodePurpose.COMMIT, Duration.ofSeconds(10));
    refuse(NodePurpose.REPORT_REMOVAL, Duration.ofMinutes(2));
    drill.pool("a").target(1).advance(10, SECONDS);
    assertThat(drill.pool("a").seen().status().removal().failing()).isEqualTo(1);

    drill.pool("a").target(2).advance(2, SECONDS);
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned);
    assertThat(drill.pool("a").seen().status().removal().failing()).isZero();
    drill.advance(100, SECONDS);
    assertThat(drill.pool("a").seen().status().removal().failing()).isZero();
    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).hasSize(1);
    drill.toRest();
  }

  /** Each failure names what failed. */
  @Test
  void aRebootThatFailsRepeatedlyIsNoRemovalThatFails() {
    Node node = grown(1).getFirst();
    refuse(NodePurpose.ADMIT, Duration.ofMinutes(5));
    new RebootClient(drill).request(node.name(), LifecycleState.REBOOT);
    drill.advance(4, MINUTES);

    assertThat(onPool(EventReason.NODE_POOL_NODES_REBOOT_ERROR))
        .singleElement()
        .satisfies(eventDraft ->
            assertThat(eventDraft.message())
                .startsWith("1 Node (%s) cannot be rebooted or verified".formatted(node.name()))
                .contains("marking Node", "not admitted"));
    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).isEmpty();
    assertThat(drill.pool("a").seen().status().removal().failing()).isZero();
    assertThat(drill.pool("a").seen().status().events().failingReboots()).isEqualTo(1);

    drill.toRest();
    assertThat(drill.pool("a").seen().status().events().failingReboots()).isZero();
    assertThat(drill.world.cluster().powerCycles()).containsEntry(node.name(), 1);
  }

  /** The API server does not admit such writes for a while. */
  private void refuse(NodePurpose purpose, Duration lasts) {
    drill
        .world
        .apiOutages()
        .refuse(
            action -> action instanceof Action.WriteNode write && write.isFor(purpose),
            ApiOutages.Refusal.INVALID,
            lasts);
  }

  @Test
  void aFailedEvictionIsAnErrorOfTheRemovalUntilThePodEnds() {
    Node node = grown(1).getFirst();
    Pod pod = drill.world.cluster().bindPod("default", "work", node.name(), "ReplicaSet");
    refused = action -> action instanceof Action.EvictPod;
    drill
        .toRest()
        .pool("a")
        .strategy(PoolSpec.ScaleDownStrategy.PREFER_IDLE)
        .pool("a")
        .target(0)
        .advance(5, MINUTES);
    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR))
        .singleElement()
        .satisfies(eventDraft ->
            assertThat(eventDraft.message()).contains("evicting Pod default/work", "not allowed"));
    assertThat(drill.pool("a").nodes().getFirst().removing().map(Node.Removing::message))
        .hasValueSatisfying(message ->
            assertThat(message)
                .contains(
                    " It fails at present: evicting Pod default/work: refused: not allowed."));

    drill.world.cluster().workloads().finish(pod.uid());
    drill.toRest();
    assertThat(drill.pool("a").nodes()).isEmpty();
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET)).doesNotContain("cannot");
  }

  @Test
  void aPoolThatIsBeingDeletedReportsTheErrorOnce() {
    grown(2);
    refused = Action.DeleteNode.class::isInstance;
    drill.pool("a").delete().advance(20, MINUTES);

    assertThat(drill.pool("a").conditions()).containsEntry("NodesRemoved", "InternalError");
    assertThat(emittedOnPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).isEqualTo(2);
    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).hasSize(1);

    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(20, MINUTES);
    assertThat(onPool(EventReason.NODE_POOL_NODES_REMOVE_ERROR)).hasSize(1);
  }

  private List<EventDraft> onNode(Node node, EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(eventDraft -> eventDraft.regarding().uid().equals(node.uid()))
        .toList();
  }

  @Test
  void aSecondAdmissionOfANodeInOneGenerationIsReportedAsTheFirstWas() {
    Node node = grown(1).getFirst();
    drill.pool("a").target(0).advance(3, SECONDS);
    Pod work = drill.world.cluster().bindPod("default", "work", node.name(), "ReplicaSet");
    drill.advance(10, SECONDS);
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned).noneMatch(Node::isTerminating);
    assertThat(emittedOnPool(EventReason.NODE_UNCORDONED)).isEqualTo(1);

    drill.world.cluster().deletePod(work.uid(), drill.world.instant());
    drill.toRest();

    assertThat(drill.pool("a").nodes()).isEmpty();
    assertThat(onNode(node, EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE)).hasSize(2);
    assertThat(onNode(node, EventReason.NODE_CORDONED)).hasSize(2);
    assertThat(emittedOnPool(EventReason.NODE_CORDONED)).isEqualTo(2);
    assertThat(drill.world.cluster().eventLog().repeats()).isZero();
  }

  @Test
  void anAdmissionThatIsTakenBackBecauseThePoolNeedsTheNodeIsNotTheNextOne() {
    Node node = grown(1).getFirst();
    drill.pool("a").target(0).advance(3, SECONDS).pool("a").target(1).advance(3, SECONDS);
    assertThat(drill.pool("a").nodes()).noneMatch(Node::isTerminating);

    drill.pool("a").target(0).toRest();

    assertThat(onNode(node, EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE)).hasSize(2);
    assertThat(drill.emitted(EventReason.NODE_UNCORDONED)).isEqualTo(2);
  }

  /** A preemption that joins a removal tightens its instants, and the Node says the new ones. */
  @Test
  void aPreemptionThatJoinsARemovalChangesTheInstantThatItWaitsUntil() {
    drill.pool("a").spot(1).toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    drill.world.cluster().nodeClients().volumes(node, 1);
    drill.pool("a").spot(0).advance(2, MINUTES);
    drill.world.cluster().nodeClients().volumes(node, 1);
    drill.advance(1, MINUTES).reclaim(node).advance(10, SECONDS);

    Node leaving = Objects.requireNonNull(drill.world.cluster().nodes().get(node));
    Disruption.Committed committed = (Disruption.Committed) leaving.disruption().orElseThrow();
    assertThat(committed.limits().stopAt()).isPresent();
    assertThat(leaving.removing().map(Node.Removing::message))
        .contains(
            "All Pods are gone; 2 volumes are still attached. Waited for until %s."
                .formatted(Messages.instant(committed.forceAt())));
  }
}
