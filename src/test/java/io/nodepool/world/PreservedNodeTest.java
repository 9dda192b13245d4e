package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.PastRepair;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests faulty Nodes that are kept for inspection, as clients and machines see them (D316). */
@Tag("world")
class PreservedNodeTest extends RepairWorld {
  private static final Duration THREE_DAYS = Duration.ofDays(3);

  PreservedNodeTest() {
    super(Drill.with(5, withQuotaOfThree(), Faults.NONE, OperatorOverrides.AS_BUILT));
  }

  private static DataCentre withQuotaOfThree() {
    return Drill.racks(Drill.GPU, 1, 30).withQuotas(new TreeMap<>(Map.of(Drill.GPU, 3)));
  }

  private void preserve(boolean wanted) {
    pool.edit(
        spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withPreserve(wanted ? "true" : "")));
  }

  /** A pool of three whose quota is three, one of which is kept. */
  private Node kept() {
    Node node = grown(3).getFirst();
    preserve(true);
    report(node, OUT_NOW);
    drill.advance(20, MINUTES);
    assertThat(isKept(node)).isTrue();
    return node;
  }

  private boolean isKept(Node node) {
    return host(node).preserved().isPresent() && isRunning(node);
  }

  private boolean isRunning(Node node) {
    return now(node).isPresent() && host(node).power() == Host.Power.ON;
  }

  private List<String> said(EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .map(event -> event.regarding().name() + ": " + event.message())
        .sorted()
        .toList();
  }

  @Test
  void aDrainedNodeStaysForThreeDaysBesideItsPoolWhichGetsAnotherOne() {
    Node node = kept();
    Instant until = host(node).preserved().orElseThrow().until();
    assertThat(Duration.between(drill.world.instant(), until))
        .isBetween(THREE_DAYS.minusMinutes(20), THREE_DAYS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).metadata().label(NodeLabels.STATE)).isEqualTo("triage");
    assertThat(present(node).removing().orElseThrow().message())
        .isEqualTo(
            "Kept for inspection until %s, since its machine has the alert %s. It ends sooner if the annotation nodepool.io/preserve of the NodePool is removed."
                .formatted(until, OUT_NOW));
    assertThat(pool.seen().status().currentNodes()).isEqualTo(2);
    assertThat(pool.seen().status().counts().inProgress()).isEqualTo(1);

    drill.advance(60, MINUTES);
    assertThat(pool.seen().status().currentNodes()).isEqualTo(3);
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(pool.nodes()).hasSize(4);
    drill.advance(70, HOURS);
    assertThat(isKept(node)).isTrue();

    drill.advance(2, HOURS).toRest();
    assertThat(now(node)).isEmpty();
    assertThat(host(node).assignment()).isEmpty();
    assertThat(host(node).deliveries().setAside())
        .isEqualTo("its machine has the alert " + OUT_NOW);
    assertThat(pool.nodes()).hasSize(3);
    String message =
        "Node %s has left NodePool a. Kept for inspection until %s, since its machine has the alert %s."
            .formatted(node.name(), until, OUT_NOW);
    assertThat(said(EventReason.NODE_PRESERVED))
        .containsExactly("a: " + message, node.name() + ": " + message);
    assertThat(powerCycles(node)).isZero();
  }

  @Test
  void aNodeThatIsKeptForOneAlertAndLeavesForAnotherOneIsNotSaidToBePreparedToGo() {
    Node node = grown(3).getFirst();
    preserve(true);
    report(node, OUT_WHEN_IDLE);
    drill.advance(5, MINUTES);
    report(node, OUT_NOW);
    drill.advance(30, MINUTES);

    assertThat(isKept(node)).isTrue();
    assertThat(host(node).past()).filteredOn(PastRepair::out).hasSize(2);
    assertThat(said(EventReason.NODE_PREPARED_FOR_TERMINATE)).isEmpty();
  }

  @Test
  void itGoesAtOnceWhenItsPoolKeepsNoneAnyMore() {
    Node node = kept();
    preserve(false);
    drill.advance(20, MINUTES);
    assertThat(now(node)).isEmpty();
    drill.toRest();
    assertThat(pool.nodes()).hasSize(3);
  }

  @Test
  void oneAtATimeIsKeptAndTheNextOneOnceThatIsGone() {
    Node first = kept();
    drill.advance(1, HOURS);
    Node second = other(first);
    report(second, OUT_NOW);
    drill.advance(30, MINUTES);
    assertThat(now(second)).isEmpty();
    assertThat(isKept(first)).isTrue();

    drill.advance(73, HOURS).toRest();
    Node third = pool.nodes().getFirst();
    report(third, OUT_NOW);
    drill.advance(20, MINUTES);
    assertThat(isKept(third)).isTrue();
  }

  private Node other(Node than) {
    return pool.nodes().stream()
        .filter(node -> !node.uid().equals(than.uid()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theDeletionOfItsPoolEndsIt() {
    Node node = kept();
    pool.delete();
    drill.advance(20, MINUTES);
    assertThat(now(node)).isEmpty();
    drill.toRest();
    assertThat(cluster.pool("a")).isEmpty();
    assertThat(cluster.hosts().values()).allMatch(host -> host.assignment().isEmpty());
  }

  /** The pool is gone only when the machine is. */
  @Test
  void aPoolOfWhichOnlyThatNodeIsLeftIsDeletedWithIt() {
    Node node = kept();
    pool.target(0).advance(2, HOURS);
    assertThat(isKept(node)).isTrue();
    assertThat(pool.seen().status().currentNodes()).isZero();
    pool.delete();
    drill.toRest();
    assertThat(now(node)).isEmpty();
    assertThat(cluster.pool("a")).isEmpty();
  }

  @Test
  void aPoolThatKeepsNoneStopsTheMachine() {
    Node node = grown(3).getFirst();
    preserve(false);
    report(node, OUT_NOW);
    drill.advance(20, MINUTES);
    assertThat(now(node)).isEmpty();
    assertThat(said(EventReason.NODE_PRESERVED)).isEmpty();
  }

  @Test
  void workThatThePoolProtectsEndsBeforeItIsKept() {
    Node node = grown(3).getFirst();
    preserve(true);
    Pod pod = work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(5, HOURS);
    assertThat(lives(pod)).isTrue();
    assertThat(isKept(node)).isFalse();
    cluster.workloads().finish(pod.uid());
    drill.advance(20, MINUTES);
    assertThat(isKept(node)).isTrue();
  }

  /** A person who uncordons it does not bring it back: it is not verified. */
  @Test
  void itIsCordonedAgain() {
    Node node = kept();
    cluster.nodeClients().cordon(node.name(), false);
    drill.advance(20, SECONDS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(isKept(node)).isTrue();
  }

  /** What a person runs on it, as kubectl debug does, is left alone. */
  @Test
  void itsPodsAreNotEvictedWhileItIsKept() {
    Node node = kept();
    Pod debug = work(node);
    drill.advance(24, HOURS);
    assertThat(lives(debug)).isTrue();
    preserve(false);
    drill.advance(2, HOURS);
    assertThat(lives(debug)).isFalse();
    assertThat(now(node)).isEmpty();
  }

  @Test
  void aPoolAtRestHasNothingToWrite() {
    kept();
    drill.advance(2, HOURS);
    long before = cluster.hosts().values().stream().mapToLong(Host::version).sum();
    drill.advance(24, HOURS);
    assertThat(cluster.hosts().values().stream().mapToLong(Host::version).sum()).isEqualTo(before);
  }

  /** The machine has no work, so that the window of the notice need not be waited for. */
  @Test
  void theFleetGetsASpotMachineBackAtOnce() {
    pool.spot(3).toRest();
    preserve(true);
    Node node = pool.nodes().getFirst();
    report(node, OUT_NOW);
    drill.advance(20, MINUTES);
    assertThat(isKept(node)).isTrue();
    drill.reclaim(node.name());
    drill.advance(3, MINUTES);
    assertThat(now(node)).isEmpty();
    drill.toRest();
    assertThat(host(node).assignment()).isEmpty();
  }

  @Test
  void aRolloutLeavesItAlone() {
    Node node = kept();
    drill.advance(1, HOURS);
    RolloutClient client = new RolloutClient(drill, "a");
    client.release("ncore-2");
    drill.advance(1, MINUTES);
    client.promote();
    client.start();
    drill.advance(6, HOURS);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
    assertThat(client.booted("ncore-2")).isEqualTo(3);
    assertThat(isKept(node)).isTrue();
    assertThat(powerCycles(node)).isZero();
    assertThat(host(node).report().bootedConfiguration()).isNotEqualTo("ncore-2");
  }

  /** A client that takes the record off the Node brings it back to nobody. */
  @Test
  void aNodeWithoutItsRecordIsCordonedAndKept() {
    Node node = kept();
    cluster.nodeClients().stripRemoval(node.name());
    cluster.nodeClients().cordon(node.name(), false);
    drill.advance(1, HOURS);
    assertThat(isKept(node)).isTrue();
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).isDraining()).isTrue();
    assertThat(pool.seen().status().currentNodes()).isEqualTo(3);
  }

  @Test
  void anotherOperatorKeepsIt() {
    Node node = kept();
    drill.world.operators().handOver(Duration.ofMinutes(1));
    drill.advance(70, HOURS);
    assertThat(isKept(node)).isTrue();
    drill.advance(4, HOURS);
    assertThat(now(node)).isEmpty();
    assertThat(said(EventReason.NODE_PRESERVED)).hasSize(2);
  }

  /** A person who deletes the Node while its machine is kept sees it join again, cordoned. */
  @Test
  void aDeletedNodeIsKeptWhenItHasJoinedAgain() {
    Node node = kept();
    cluster.nodeClients().delete(node.name());
    drill.advance(1, HOURS);
    assertThat(host(node).preserved()).isPresent();
    assertThat(pool.seen().status().currentNodes()).isEqualTo(3);
    Node again = cluster.node(node.name()).orElseThrow();
    assertThat(again.uid()).isNotEqualTo(node.uid());
    assertThat(again.cordoned()).isTrue();
    preserve(false);
    drill.toRest();
    assertThat(host(node).assignment()).isEmpty();
  }
}
