package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldNodeClients;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests to which request the consent to interrupt work belongs, on the virtual clock. */
class RebootConsentTest {
  private final Drill drill = Drill.calm(47);
  private final WorldCluster cluster = drill.world.cluster();
  private final WorldNodeClients clients = cluster.nodeClients();
  private final RebootClient client = new RebootClient(drill);

  private String busyNode() {
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(1).toRest();
    pool.busy();
    drill.advance(10, SECONDS);
    return pool.nodes().getFirst().name();
  }

  private Pod pod() {
    return cluster.pods().values().stream()
        .filter(pod -> pod.namespace().equals("default"))
        .findFirst()
        .orElseThrow();
  }

  private void policy(String node) {
    clients.annotation(node, NodeAnnotations.REBOOT_POLICY.key(), Optional.of("Immediate"));
  }

  private void label(String node, LifecycleState state) {
    clients.label(node, NodeLabels.PENDING_STATE.key(), Optional.of(state.word()));
  }

  private String policyOf(String node) {
    return Optional.ofNullable(cluster.nodes().get(node))
        .orElseThrow()
        .metadata()
        .annotations()
        .getOrDefault(NodeAnnotations.REBOOT_POLICY.key(), "");
  }

  private boolean isCordoned(String node) {
    return Optional.ofNullable(cluster.nodes().get(node)).filter(Node::cordoned).isPresent();
  }

  private void isUnharmed(String node) {
    assertThat(pod().deletedAt()).isEmpty();
    assertThat(cluster.powerCycles().getOrDefault(node, 0)).isZero();
  }

  private void isRebooted(String node) {
    assertThat(cluster.powerCycles()).containsEntry(node, 1);
    assertThat(policyOf(node)).isEmpty();
  }

  @Test
  void aPolicyThatACancelledRequestLeftBehindForcesNoOther() {
    String node = busyNode();
    client.requestNow(node, LifecycleState.REBOOT);
    drill.advance(3, SECONDS);
    client.cancel(node);
    drill.advance(30, SECONDS);
    client.request(node, LifecycleState.REBOOT);
    drill.advance(30, MINUTES);

    isUnharmed(node);
    assertThat(policyOf(node)).isEmpty();
  }

  /** The policy ends in the write that withdraws its request, which no crash can separate. */
  @Test
  void aPolicyIsTakenOffWithTheRequestThatIsWithdrawn() {
    String node = busyNode();
    client.requestNow(node, LifecycleState.REBOOT);
    client.untilCordoned(node);
    client.cancel(node);
    for (int i = 0; i < 5_000 && isCordoned(node); i++) {
      drill.advance(1, MILLIS);
    }
    assertThat(isCordoned(node)).isFalse();
    drill.world.operators().kill();
    client.request(node, LifecycleState.REBOOT);
    drill.advance(20, SECONDS);
    drill.world.operators().start();
    drill.advance(30, MINUTES);

    isUnharmed(node);
    assertThat(policyOf(node)).isEmpty();
  }

  @Test
  void aPolicyThatStoodWhileNoOperatorRanForcesNoLaterRequest() {
    String node = busyNode();
    drill.world.operators().kill();
    policy(node);
    drill.advance(3, MINUTES);
    label(node, LifecycleState.REBOOT);
    drill.advance(20, SECONDS);
    drill.world.operators().start();
    drill.advance(30, MINUTES);

    isUnharmed(node);
    assertThat(policyOf(node)).isEmpty();
  }

  @Test
  void aPolicyWithoutARequestIsTakenOffAfterTwoMinutes() {
    String node = busyNode();
    policy(node);
    drill.advance(110, SECONDS);
    assertThat(policyOf(node)).isEqualTo("Immediate");
    assertThat(drill.events(EventReason.NODE_REQUEST_REFUSED)).isEmpty();
    drill.advance(15, SECONDS);
    assertThat(policyOf(node)).isEmpty();
    assertThat(
            drill
                .events(EventReason.NODE_REQUEST_REFUSED)
                .map(event -> event.eventDraft().message()))
        .containsExactly(
            "The annotation nodepool.io/reboot-policy=Immediate of Node %s is taken off: there was no request within 2m."
                .formatted(node));
    label(node, LifecycleState.REBOOT);
    drill.advance(30, MINUTES);

    isUnharmed(node);
  }

  @Test
  void aPolicyMayBeSetSomeTimeBeforeItsRequestAndAfterIt() {
    String node = busyNode();
    policy(node);
    drill.advance(90, SECONDS);
    label(node, LifecycleState.REBOOT);
    drill.advance(10, MINUTES);
    isRebooted(node);
  }

  @Test
  void aPolicyThatIsSetWhileARequestWaitsBelongsToIt() {
    String node = busyNode();
    label(node, LifecycleState.REBOOT);
    drill.advance(20, MINUTES);
    isUnharmed(node);
    policy(node);
    drill.advance(10, MINUTES);
    isRebooted(node);
  }

  @Test
  void anOperatorThatStartsDecidesAsTheOneBeforeIt() {
    String node = busyNode();
    client.requestNow(node, LifecycleState.REBOOT);
    drill.advance(3, SECONDS);
    drill.world.operators().kill();
    drill.advance(20, MINUTES);
    drill.world.operators().start();
    drill.advance(10, MINUTES);

    isRebooted(node);
  }

  @Test
  void aRequestThatReplacesAForcedOneIsNotForced() {
    String node = busyNode();
    FleetOffer offer = cluster.offer();
    cluster.fleetOwner().loseOffer("gone");
    client.requestNow(node, LifecycleState.REBOOT);
    drill.advance(20, SECONDS);
    label(node, LifecycleState.POWER_RESET);
    drill.advance(20, SECONDS);
    cluster.fleetOwner().offer(offer);
    drill.advance(30, MINUTES);

    isUnharmed(node);
    assertThat(policyOf(node)).isEmpty();
  }

  @Test
  void aRequestThatComesWhileAForcedRebootIsCarriedOutIsNotForced() {
    String node = busyNode();
    client.requestNow(node, LifecycleState.REBOOT);
    drill.advance(20, SECONDS);
    label(node, LifecycleState.POWER_RESET);
    client.untilBooting(node);
    drill.pool("a").busy();
    drill.advance(90, MINUTES);

    assertThat(cluster.powerCycles()).containsEntry(node, 1);
    assertThat(cluster.pods()).isNotEmpty();
  }

  /** A rollout that evicts, of two busy Nodes, of which the first one boots. */
  private RolloutClient evicts() {
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(2).toRest();
    pool.nodes()
        .forEach(
            node -> cluster.bindPod("default", "work-" + node.name(), node.name(), "ReplicaSet"));
    RolloutClient user = new RolloutClient(drill, "a");
    user.settings(last -> last.withEvict(true));
    drill.advance(1, MINUTES);
    user.rollOut("ncore-2.11.0");
    for (int i = 0; i < 600 && cluster.powerCyclesInto().isEmpty(); i++) {
      drill.advance(1, SECONDS);
    }
    return user;
  }

  @Test
  void aLossOfTheStatusEndsTheRolloutThatEvicts() {
    evicts().loseHandled();
    drill.advance(120, MINUTES);

    assertThat(cluster.powerCycles()).hasSize(1);
  }

  @Test
  void aLossOfTheStatusThatTheOperatorOverwritesUnobservedEndsNothing() {
    RolloutClient user = evicts();
    drill.world.apiOutages().stall(WorldCluster.Kind.POOLS, Duration.ofMinutes(5));
    user.loseHandled();
    drill.advance(120, MINUTES);

    assertThat(cluster.powerCycles()).hasSize(2);
  }
}
