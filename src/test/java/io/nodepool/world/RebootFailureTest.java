package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.plan.EventDraft;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests reboots that do not go well: each ends with the Node back or its Host set aside (D146). */
class RebootFailureTest {
  private final Drill drill = Drill.calm(31);
  private final WorldCluster cluster = drill.world.cluster();
  private final Drill.PoolDrill pool = drill.pool("a");

  private NodeStory grown() {
    pool.target(1).toRest();
    return new NodeStory(drill, pool.nodes().getFirst());
  }

  private Host host(Node node) {
    return Optional.ofNullable(cluster.hosts().get(node.name())).orElseThrow();
  }

  private int powerCycles(Node node) {
    return cluster.powerCycles().getOrDefault(node.name(), 0);
  }

  private List<String> emitted(Node node, EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(event -> event.regarding().uid().equals(node.uid()))
        .map(EventDraft::message)
        .toList();
  }

  private List<BootRequest.Outcome> outcomes(Node node) {
    return host(node).boot().orElseThrow().history().stream()
        .map(BootRequest.PastAttempt::outcome)
        .toList();
  }

  private void isBack(NodeStory story) {
    Node node = story.now();
    assertThat(node.cordoned()).isFalse();
    assertThat(node.metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(node.status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
  }

  /** The Node has left, its Host is set aside, and the pool has another one. */
  private void isReplaced(Node node, int attempts) {
    assertThat(cluster.nodes()).doesNotContainKey(node.name());
    Host given = host(node);
    assertThat(given.assignment()).isEmpty();
    assertThat(given.deliveries().setAside())
        .isEqualTo(
            "its machine did not come back from its reboot, in "
                + (attempts == 1 ? "1 attempt" : attempts + " attempts"));
    assertThat(pool.nodes()).hasSize(1);
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(emitted(node, EventReason.NODE_REBOOT_FAILED)).hasSize(1);
    assertThat(drill.emitted(EventReason.NODE_REBOOT_FAILED)).isEqualTo(2);
  }

  @Test
  void aBootThatHangsIsTriedAgain() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().nextReboot(node.name(), RebootMishaps.Kind.HANG);
    story.request(LifecycleState.POWER_RESET);
    drill.toRest();

    isBack(story);
    assertThat(powerCycles(node)).isEqualTo(2);
    assertThat(emitted(node, EventReason.NODE_REBOOT_RETRIED))
        .containsExactly(
            "Node %s: it was on no other boot within 30m. Attempt 2 of 3.".formatted(node.name()));
    assertThat(outcomes(node)).containsExactly(BootRequest.Outcome.NOT_BOOTED);
  }

  @Test
  void aBootThatNeverEndsEndsWithTheHostSetAsideAndAnotherOneInItsPlace() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.HANG);
    story.request(LifecycleState.POWER_RESET);
    drill.toRest();

    isReplaced(node, 3);
    assertThat(powerCycles(node)).isEqualTo(3);
    assertThat(emitted(node, EventReason.NODE_REBOOT_RETRIED)).hasSize(2);
    assertThat(outcomes(node))
        .containsExactly(BootRequest.Outcome.NOT_BOOTED, BootRequest.Outcome.NOT_BOOTED);
  }

  @Test
  void aMachineThatComesBackNotReadyIsTriedAgainAndThenSetAside() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.NOT_READY);
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    isReplaced(node, 3);
    assertThat(powerCycles(node)).isEqualTo(3);
    assertThat(outcomes(node))
        .containsExactly(BootRequest.Outcome.NOT_VERIFIED, BootRequest.Outcome.NOT_VERIFIED);
  }

  @Test
  void aMachineThatFailsItsVerificationTwicePassesOnTheThird() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().reboot(node.name(), 1, RebootMishaps.Kind.VERIFICATION_FAILURE);
    cluster.fleetOwner().reboot(node.name(), 2, RebootMishaps.Kind.VERIFICATION_FAILURE);
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    isBack(story);
    assertThat(powerCycles(node)).isEqualTo(3);
    assertThat(emitted(node, EventReason.NODE_REBOOT_RETRIED))
        .allMatch(text -> text.contains("it did not pass its verification"))
        .hasSize(2);
  }

  /** What the fleet offers is not known then, but its answer is. */
  @Test
  void aMachineThatIsVerifiedIsBackAlsoWhileTheOfferCannotBeRead() {
    NodeStory story = grown();
    Node node = story.now();
    story.request(LifecycleState.POWER_RESET);
    drill.advance(1, MINUTES);
    assertThat(powerCycles(node)).isEqualTo(1);
    cluster.fleetOwner().loseOffer("its document does not exist");
    drill.advance(3, HOURS);

    isBack(story);
    assertThat(powerCycles(node)).isEqualTo(1);
    assertThat(emitted(node, EventReason.NODE_REBOOT_RETRIED)).isEmpty();
  }

  @Test
  void aMachineThatNeverPassesItsVerificationIsSetAside() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.VERIFICATION_FAILURE);
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    isReplaced(node, 3);
    assertThat(powerCycles(node)).isEqualTo(3);
  }

  @Test
  void aMachineThatFailsIsSetAsideAtOnce() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().nextReboot(node.name(), RebootMishaps.Kind.FAIL);
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    isReplaced(node, 1);
    assertThat(host(node).report().phase()).isEqualTo(HostPhase.FAILED);
  }

  @Test
  void aNodeThatIsNotReadyDuringItsRebootIsNeitherReplacedNorReported() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().nextReboot(node.name(), RebootMishaps.Kind.HANG);
    story.request(LifecycleState.REBOOT);
    drill.advance(25, MINUTES);

    assertThat(story.now().ready()).isFalse();
    assertThat(pool.hosts()).hasSize(1);
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isZero();
    assertThat(pool.conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void timeInWhichNoOperatorRanIsNoDelay() {
    NodeStory story = grown();
    Node node = story.now();
    cluster.fleetOwner().nextReboot(node.name(), RebootMishaps.Kind.HANG);
    story.request(LifecycleState.REBOOT);
    drill.advance(20, SECONDS);
    assertThat(powerCycles(node)).isOne();
    drill.world.operators().kill();
    drill.advance(3, HOURS);
    drill.world.operators().start();
    drill.advance(25, MINUTES);
    assertThat(emitted(node, EventReason.NODE_REBOOT_RETRIED)).isEmpty();
    drill.advance(6, MINUTES);
    assertThat(emitted(node, EventReason.NODE_REBOOT_RETRIED)).hasSize(1);
    drill.toRest();

    isBack(story);
  }

  @Test
  void aMachineThatRebootsByItselfMeanwhileIsRebootedOnRequestNevertheless() {
    NodeStory story = grown();
    Node node = story.now();
    story.request(LifecycleState.REBOOT);
    cluster.fleetOwner().bootsByItself(node.name(), drill.world.instant());
    drill.toRest();

    isBack(story);
    assertThat(powerCycles(node)).isOne();
  }

  @Test
  void aMachineThatRebootsByItselfWhileItIsVerifiedIsNotSaidToBeOnItsBoot() {
    NodeStory story = grown();
    Node node = story.now();
    story.request(LifecycleState.VERIFICATION);
    drill.advance(1, MINUTES);
    assertThat(story.now().metadata().label(NodeLabels.STATE)).isEqualTo("production-verification");
    cluster.fleetOwner().bootsByItself(node.name(), drill.world.instant());
    drill.toRest();

    isBack(story);
    String boot = host(node).report().bootId();
    assertThat(boot).isNotEqualTo(node.status().bootId());
    assertThat(emitted(node, EventReason.NODE_VERIFIED))
        .containsExactly("Node %s is verified, on boot %s.".formatted(node.name(), boot));
  }

  @Test
  void aNodeThatIsDeletedByHandDuringItsRebootJoinsAgain() {
    NodeStory story = grown();
    Node node = story.now();
    story.request(LifecycleState.REBOOT);
    drill.advance(30, SECONDS);
    assertThat(story.now().ready()).isFalse();
    cluster.nodeClients().delete(node.name());
    drill.toRest();

    Node again = Optional.ofNullable(cluster.nodes().get(node.name())).orElseThrow();
    assertThat(again.ready()).isTrue();
    assertThat(again.registered()).isTrue();
    assertThat(again.cordoned()).isFalse();
    assertThat(again.status().bootId()).isEqualTo(host(node).report().bootId());
    assertThat(powerCycles(node)).isOne();
  }
}
