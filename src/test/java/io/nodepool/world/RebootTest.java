package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests reboots that clients request, on the virtual clock (contract §12, decision D145). */
class RebootTest {
  private final Drill drill = Drill.calm(32);
  private final WorldCluster cluster = drill.world.cluster();
  private final Drill.PoolDrill pool = drill.pool("a");

  private NodeStory grown() {
    pool.target(1).toRest();
    return new NodeStory(drill, pool.nodes().getFirst());
  }

  private Pod work(NodeStory story) {
    Pod pod = cluster.bindPod("default", "train", story.now().name(), "ReplicaSet");
    drill.advance(10, SECONDS);
    return pod;
  }

  private Host host(NodeStory story) {
    return Optional.ofNullable(cluster.hosts().get(story.now().name())).orElseThrow();
  }

  private int powerCycles(NodeStory story) {
    return cluster.powerCycles().getOrDefault(story.now().name(), 0);
  }

  private List<String> emitted(NodeStory story, EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(event -> event.regarding().uid().equals(story.now().uid()))
        .map(EventDraft::message)
        .toList();
  }

  private static boolean isBack(NodeStory story) {
    Node node = story.now();
    return !node.cordoned()
        && node.ready()
        && node.metadata().label(NodeLabels.STATE).equals("production")
        && node.metadata().label(NodeLabels.PENDING_STATE).isEmpty()
        && node.status().lifecycle().equals(Node.Lifecycle.PRODUCTION);
  }

  /** The run that a client recorded on the real thing (contract §12), for a busy Node. */
  @Test
  void theSequenceIsTheOneThatWasObserved() {
    NodeStory story = grown();
    Pod pod = work(story);
    story.request(LifecycleState.REBOOT);
    drill.advance(10, MINUTES);
    assertThat(story.now().activity().orElseThrow().message()).contains("train");
    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();

    String asked = "pending production-reboot/production-reboot";
    // Which of NotReady and the condition of the reboot comes first is open.
    String begins = "production-reboot/%s, " + asked + ", idle, cordoned, reserved, ";
    String notReady = begins.formatted("production") + "NotReady";
    String rebooting = begins.formatted("production-reboot") + "rebooting";
    assertThat(story.lines()).containsAnyOf(notReady, rebooting);
    assertThat(story.lines())
        .filteredOn(line -> !line.equals(notReady) && !line.equals(rebooting))
        .containsExactly(
            "production/production, active",
            "production/production, pending -/production-reboot, active",
            "production/production, " + asked + ", active",
            "production/production, " + asked + ", idle",
            "production/production, " + asked + ", idle, cordoned",
            "production-reboot/production, " + asked + ", idle, cordoned, reserved",
            "production-reboot/production-reboot, "
                + asked
                + ", idle, cordoned, reserved, NotReady, rebooting",
            "production-reboot/production-reboot, "
                + asked
                + ", idle, cordoned, reserved, rebooting, boot +1",
            "production-reboot/production-reboot, " + asked + ", idle, cordoned, reserved, boot +1",
            "production/production-reboot, pending -/production-reboot, idle, boot +1",
            "production/production, idle, boot +1");
    assertThat(powerCycles(story)).isOne();
    assertThat(emitted(story, EventReason.NODE_REBOOTING)).hasSize(1);
    assertThat(emitted(story, EventReason.NODE_REBOOTED)).hasSize(1);
    assertThat(emitted(story, EventReason.NODE_CORDONED)).hasSize(1);
    assertThat(emitted(story, EventReason.NODE_UNCORDONED)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = LifecycleState.class,
      names = {"REBOOT", "POWER_RESET", "RECONFIGURE"})
  void anIdleNodeIsRebootedInItsStateAndReturns(LifecycleState state) {
    NodeStory story = grown();
    story.request(state);
    drill.toRest();

    assertThat(story.lines()).anyMatch(line -> line.startsWith(state.word() + "/" + state.word()));
    assertThat(powerCycles(story)).isOne();
    assertThat(isBack(story)).isTrue();
    assertThat(emitted(story, EventReason.RECONFIGURE_REBOOTED))
        .hasSize(state == LifecycleState.RECONFIGURE ? 1 : 0);
  }

  @Test
  void theClientsTwoPatchesMayComeInEitherOrderAndThirtySecondsApart() {
    NodeStory story = grown();
    story.condition(LifecycleState.POWER_RESET);
    drill.advance(30, SECONDS);
    assertThat(story.now().cordoned()).isFalse();
    story.label(LifecycleState.POWER_RESET);
    drill.toRest();
    assertThat(powerCycles(story)).isOne();
    assertThat(isBack(story)).isTrue();

    story.label(LifecycleState.POWER_RESET);
    drill.advance(30, SECONDS);
    story.condition(LifecycleState.POWER_RESET);
    drill.toRest();
    assertThat(powerCycles(story)).isEqualTo(2);
    assertThat(isBack(story)).isTrue();
    assertThat(story.lines().getLast()).doesNotContain("twice");
  }

  @Test
  void aConditionWithoutItsLabelIsNoRequestAndIsRemovedAfterTwoMinutes() {
    NodeStory story = grown();
    story.condition(LifecycleState.POWER_RESET);
    drill.advance(119, SECONDS);
    assertThat(story.now().status().lifecycle().pending()).isPresent();
    drill.advance(5, SECONDS);
    assertThat(story.now().status().lifecycle().pending()).isEmpty();
    drill.toRest();
    assertThat(powerCycles(story)).isZero();
  }

  @Test
  void threeRebootsAreFourBoots() {
    NodeStory story = grown();
    Set<String> boots = new TreeSet<>(Set.of(story.now().status().bootId()));
    for (LifecycleState state :
        List.of(LifecycleState.REBOOT, LifecycleState.POWER_RESET, LifecycleState.REBOOT)) {
      story.request(state);
      drill.toRest();
      boots.add(story.now().status().bootId());
      assertThat(story.now().status().bootId()).isEqualTo(host(story).report().bootId());
    }

    assertThat(boots).hasSize(4);
    assertThat(powerCycles(story)).isEqualTo(3);
    assertThat(isBack(story)).isTrue();
    assertThat(host(story).boot().orElseThrow().history()).hasSize(2);
  }

  @Test
  void aSafeRebootLeavesTheNodeToItsWorkAndToNewWork() {
    NodeStory story = grown();
    Pod pod = work(story);
    story.request(LifecycleState.REBOOT);
    drill.advance(60, MINUTES);
    Pod later = cluster.bindPod("default", "later", story.now().name(), "ReplicaSet");
    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.advance(60, MINUTES);

    assertThat(story.lines()).noneMatch(line -> line.contains("cordoned"));
    assertThat(cluster.pods()).containsKey(later.uid());
    assertThat(powerCycles(story)).isZero();
  }

  @Test
  void aReconfigurationCordonsTheBusyNodeAndWaits() {
    NodeStory story = grown();
    Pod pod = work(story);
    story.request(LifecycleState.RECONFIGURE);
    drill.advance(60, MINUTES);
    assertThat(story.now().cordoned()).isTrue();
    assertThat(story.now().metadata().annotations())
        .containsEntry(NodeAnnotations.CORDON_REASON.key(), "Reconfiguration");
    assertThat(cluster.pods()).containsKey(pod.uid());
    assertThat(powerCycles(story)).isZero();

    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(powerCycles(story)).isOne();
    assertThat(isBack(story)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = LifecycleState.class,
      names = {"REBOOT", "POWER_RESET", "RECONFIGURE"})
  void anImmediateRebootInterruptsWorkOnceItsCordonHasSettled(LifecycleState state) {
    NodeStory story = grown();
    Pod pod = work(story);
    story.force(state);
    drill.advance(4, SECONDS);
    assertThat(story.now().cordoned()).isTrue();
    assertThat(Optional.ofNullable(cluster.pods().get(pod.uid())).orElseThrow().deletedAt())
        .isEmpty();
    drill.advance(4, SECONDS);
    assertThat(Optional.ofNullable(cluster.pods().get(pod.uid())).flatMap(Pod::deletedAt))
        .isNotEqualTo(Optional.empty());
    drill.advance(60, SECONDS);
    assertThat(powerCycles(story)).isOne();
    drill.toRest();
    assertThat(isBack(story)).isTrue();
    assertThat(story.now().metadata().annotations())
        .doesNotContainKey(NodeAnnotations.REBOOT_POLICY.key());
  }

  @Test
  void aPodThatDoesNotEndDelaysAnImmediateRebootByItsGraceAtMost() {
    NodeStory story = grown();
    Pod pod = work(story);
    cluster.workloads().keep(pod.uid());
    story.force(LifecycleState.REBOOT);
    drill.advance(30, SECONDS);
    assertThat(powerCycles(story)).isZero();
    drill.advance(20, SECONDS);

    assertThat(powerCycles(story)).isOne();
  }

  @Test
  void aVerificationTakesNoPowerCycle() {
    NodeStory story = grown();
    story.request(LifecycleState.VERIFICATION);
    drill.toRest();

    assertThat(story.lines())
        .anyMatch(line -> line.startsWith("production-verification/") && line.contains("reserved"))
        .noneMatch(line -> line.contains("NotReady") || line.contains("boot +1"));
    assertThat(powerCycles(story)).isZero();
    assertThat(isBack(story)).isTrue();
    assertThat(host(story).report().boot().verification().orElseThrow().passed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequestThatIsTakenBackEndsWithoutAReboot(boolean reconfigure) {
    NodeStory story = grown();
    Pod pod = work(story);
    story.request(reconfigure ? LifecycleState.RECONFIGURE : LifecycleState.REBOOT);
    drill.advance(60, SECONDS);
    story.unlabel();
    drill.advance(3, MINUTES);

    assertThat(isBack(story)).isTrue();
    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(powerCycles(story)).isZero();
  }

  @Test
  void toUncordonTheNodeEndsItsReconfigurationAndTheRequest() {
    NodeStory story = grown();
    Pod pod = work(story);
    story.request(LifecycleState.RECONFIGURE);
    drill.advance(60, SECONDS);
    cluster.nodeClients().cordon(story.now().name(), false);
    drill.advance(10, SECONDS);

    assertThat(isBack(story)).isTrue();
    assertThat(emitted(story, EventReason.NODE_REQUEST_REFUSED))
        .singleElement()
        .asString()
        .startsWith(
            "Another client uncordoned Node %s, which withdraws what it was cordoned for: "
                .formatted(story.now().name()));
    cluster.deletePod(pod.uid(), drill.world.instant());
    drill.toRest();
    assertThat(powerCycles(story)).isZero();
  }

  @Test
  void aCommittedRebootCordonsAgainAndGoesOn() {
    NodeStory story = grown();
    story.request(LifecycleState.REBOOT);
    drill.advance(20, SECONDS);
    assertThat(story.now().isCommitted()).isTrue();
    cluster.nodeClients().cordon(story.now().name(), false);
    story.unlabel();
    drill.toRest();

    assertThat(powerCycles(story)).isOne();
    assertThat(isBack(story)).isTrue();
  }

  @Test
  void aCordonOfAnotherClientStays() {
    NodeStory story = grown();
    cluster.nodeClients().cordon(story.now().name(), true);
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    assertThat(powerCycles(story)).isOne();
    assertThat(story.now().cordoned()).isTrue();
    assertThat(emitted(story, EventReason.NODE_UNCORDONED)).isEmpty();
  }

  @Test
  void aRequestThatCannotBeMetSaysSoOnTheNode() {
    NodeStory story = grown();
    story.label("production-lunch");
    drill.toRest();

    NodeStatus.Entry said = story.now().status().lifecycle().pending().orElseThrow();
    assertThat(said.status()).isFalse();
    assertThat(said.reason()).isEqualTo("production-lunch");
    assertThat(said.message())
        .isEqualTo(
            "The state production-lunch cannot be requested; these can: production-reboot, production-powerreset, production-reconfigure-powercycle-test, production-verification.");
    assertThat(emitted(story, EventReason.NODE_REQUEST_REFUSED)).containsExactly(said.message());
    assertThat(powerCycles(story)).isZero();

    story.unlabel();
    drill.toRest();
    assertThat(story.now().status().lifecycle().pending()).isEmpty();
  }

  @Test
  void aFleetThatBootsNothingOnRequestKeepsItsNodesAndSaysSo() {
    FleetOffer offer = cluster.offer();
    cluster.fleetOwner().offer(offer.withCapabilities(FleetOffer.Capabilities.NONE));
    NodeStory story = grown();
    story.request(LifecycleState.POWER_RESET);
    drill.toRest();

    assertThat(story.now().cordoned()).isFalse();
    assertThat(story.now().status().lifecycle().pending().orElseThrow().message())
        .isEqualTo(
            "The fleet does not offer PowerReset, which production-powerreset needs; it offers no boot on request.");

    cluster.fleetOwner().offer(offer);
    drill.toRest();
    assertThat(powerCycles(story)).isOne();
    assertThat(isBack(story)).isTrue();
  }

  @Test
  void aFleetThatDoesNotVerifyReturnsTheNodeWhenItIsReady() {
    cluster
        .fleetOwner()
        .offer(
            cluster
                .offer()
                .withCapabilities(
                    new FleetOffer.Capabilities(
                        new TreeSet<>(Set.of(BootKind.REBOOT)), false, false)));
    NodeStory story = grown();
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    assertThat(powerCycles(story)).isOne();
    assertThat(isBack(story)).isTrue();
  }

  @Test
  void aRebootingNodeStaysCurrentAndThePoolAtItsTarget() {
    NodeStory story = grown();
    List<String> conditions = new ArrayList<>();
    cluster.watch(
        WorldCluster.Kind.POOLS,
        _ ->
            conditions.add(
                pool.conditions().get(PoolCondition.AT_TARGET.type())
                    + " "
                    + pool.seen().status().counts().current()));
    story.request(LifecycleState.REBOOT);
    drill.toRest();

    assertThat(powerCycles(story)).isOne();
    assertThat(Set.copyOf(conditions)).isSubsetOf(Set.of("TargetMet 1"));
    assertThat(pool.hosts()).hasSize(1);
  }

  @Test
  void aPoolThatShrinksPrefersIdleNodesThatWaitForAReboot() {
    pool.target(4).toRest();
    List<Node> nodes = pool.nodes();
    NodeStory chosen = new NodeStory(drill, nodes.get(2));
    chosen.label(LifecycleState.REBOOT);
    pool.target(3);
    drill.toRest();

    assertThat(pool.nodes()).extracting(Node::name).doesNotContain(nodes.get(2).name());
    assertThat(pool.nodes()).hasSize(3);
    assertThat(cluster.powerCycles().getOrDefault(nodes.get(2).name(), 0)).isLessThan(2);
    assertThat(Map.copyOf(cluster.powerCycles()))
        .doesNotContainKeys(nodes.get(0).name(), nodes.get(1).name(), nodes.get(3).name());
  }

  @Test
  void thatANodeWhichLeavesIsNotRebootedFirstIsSaid() {
    NodeStory story = grown();
    story.request(LifecycleState.REBOOT);
    drill.advance(2, SECONDS);
    assertThat(story.now().cordoned()).isTrue();
    pool.target(0);
    drill.advance(2, SECONDS);

    assertThat(story.now().removing().orElseThrow().message())
        .isEqualTo(
            "Chosen to leave NodePool a: it is idle with a reboot pending or under way; it is not rebooted first. It stays if it gets tenant work before it is drained.");
    drill.toRest();
    assertThat(pool.nodes()).isEmpty();
    assertThat(cluster.powerCycles()).isEmpty();
  }
}
