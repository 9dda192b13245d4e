package io.nodepool.world;

import static java.time.temporal.ChronoUnit.DAYS;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.Signal;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolSpec.RepairBrakes;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests repairs as clients and machines see them, on the virtual clock (contract §12). */
@Tag("world")
class RepairTest extends RepairWorld {
  private static final String NOT_READY = "KubeNodeNotReadyHGX";

  RepairTest() {
    super(5);
  }

  private long cordoned() {
    return pool.nodes().stream().filter(Node::cordoned).count();
  }

  private List<String> events(Node node, EventReason reason) {
    return drill
        .events(reason)
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(event -> event.regarding().uid().equals(node.uid()))
        .map(event -> event.message())
        .toList();
  }

  private void allowEviction() {
    pool.edit(spec -> spec.withLifecycle(spec.lifecycle().withDisableUnhealthyNodeEviction(false)));
  }

  private void repair(String mode) {
    pool.edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode(mode)));
  }

  @Test
  void aFaultThatLeavesNoChoiceTakesABusyNodeOutAtOnce() {
    Node node = grown();
    Pod pod = work(node);
    report(node, OUT_NOW);
    drill.advance(2, MINUTES);
    assertThat(lives(pod)).isFalse();
    drill.toRest();

    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().setAside())
        .isEqualTo("its machine has the alert " + OUT_NOW);
    assertThat(powerCycles(node)).isZero();
    assertThat(pool.nodes()).hasSize(1).noneMatch(each -> each.name().equals(node.name()));
    assertThat(events(node, EventReason.NODE_CORDONED))
        .containsExactly("Node %s is cordoned: it is to leave NodePool a.".formatted(node.name()));
    assertThat(events(node, EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE))
        .containsExactly(
            "Node %s is to leave NodePool a: its machine has the alert %s."
                .formatted(node.name(), OUT_NOW));
  }

  @Test
  void aFaultThatWaitsLeavesTheWorkOfAProtectedPoolAlone() {
    Node node = grown();
    Pod pod = work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(24, HOURS);
    assertThat(lives(pod)).isTrue();
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).metadata().annotations())
        .containsEntry(NodeAnnotations.CORDON_REASON.key(), OUT_WHEN_IDLE);

    cluster.workloads().finish(pod.uid());
    drill.toRest();
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isTrue();
  }

  @Test
  void aPoolThatAllowsItLosesTheWorkByTheDeadlineOfTheDrain() {
    Node node = grown();
    allowEviction();
    Pod pod = work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(40, MINUTES);
    assertThat(lives(pod)).isFalse();
    drill.toRest();
    assertThat(now(node)).isEmpty();
  }

  @Test
  void oneThatABootHealsIsBootedOnceTheNodeIsIdleAndStays() {
    Node node = grown();
    Pod pod = work(node);
    report(node, RESET);
    drill.advance(30, MINUTES);
    assertThat(lives(pod)).isTrue();
    assertThat(present(node).metadata().annotations())
        .containsEntry(NodeAnnotations.CORDON_REASON.key(), RESET + ",NLCCPendingExitProduction");
    assertThat(present(node).status().lifecycle().pending())
        .hasValueSatisfying(
            pending -> assertThat(pending.reason()).isEqualTo("production-powerreset"));
    assertThat(powerCycles(node)).isZero();

    cluster.workloads().finish(pod.uid());
    drill.advance(5, MINUTES);
    assertThat(powerCycles(node)).isOne();
    assertThat(host(node).boot().orElseThrow().alert()).isEqualTo(RESET);
    signals.withdraw(node.name(), key(RESET));
    drill.toRest();
    assertThat(present(node).cordoned()).isFalse();
    assertThat(present(node).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(present(node).status().lifecycle()).isEqualTo(Node.Lifecycle.PRODUCTION);
    assertThat(powerCycles(node)).isOne();
  }

  @Test
  void aFleetThatStopsVerifyingKeepsNoMachineThatIsReadyOnItsNewBoot() {
    Node node = grown();
    report(node, REBOOT_NOW);
    for (int i = 0; i < 100 && !isReadyOnAnotherBoot(node); i++) {
      drill.advance(10, SECONDS);
    }
    assertThat(isReadyOnAnotherBoot(node)).isTrue();
    assertThat(host(node).verified(host(node).boot().orElseThrow())).isEmpty();
    cluster
        .fleetOwner()
        .offer(
            cluster
                .offer()
                .withCapabilities(
                    new FleetOffer.Capabilities(
                        new TreeSet<>(Set.of(BootKind.REBOOT)), false, false)));
    drill.advance(10, SECONDS);

    assertThat(present(node).cordoned()).isFalse();
    assertThat(drill.events(EventReason.NODE_REBOOTED)).hasSize(1);
  }

  private boolean isReadyOnAnotherBoot(Node node) {
    return present(node).ready()
        && !present(node).status().bootId().equals(node.status().bootId())
        && present(node).status().bootId().equals(host(node).report().bootId());
  }

  @Test
  void threePowerCyclesInADayAreTheMostThenItGoes() {
    Node node = grown();
    report(node, REBOOT_NOW);
    drill.advance(10, HOURS);
    assertThat(powerCycles(node)).isEqualTo(3);
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isTrue();
  }

  /** Its alert comes back, whoever has the machine then. */
  @Test
  void aPersonWhoReleasesAHostGivesItsMachineAllItsAttemptsAgain() {
    Node node = grown();
    report(node, REBOOT_NOW);
    drill.advance(10, HOURS);
    assertThat(host(node).deliveries().isSetAside()).isTrue();
    signals.withdraw(node.name(), key(REBOOT_NOW));
    cluster.fleetOwner().setAside(node.name(), "");
    pool.target(30).toRest();
    Node next = cluster.node(node.name()).orElseThrow();

    report(next, REBOOT_NOW);
    drill.advance(30, MINUTES);
    assertThat(powerCycles(next)).isGreaterThan(3);
    assertThat(now(next)).isPresent();
    drill.advance(10, HOURS);
    assertThat(powerCycles(next)).isEqualTo(6);
    assertThat(now(next)).isEmpty();
  }

  /** One boots, and another one waits for it. */
  @Test
  void whatHoldsAnotherRepairIsWhatIsUnderWay() {
    List<Node> nodes = grown(4);
    report(nodes.getFirst(), REBOOT_NOW);
    report(nodes.getLast(), REBOOT_NOW);
    List<String> said = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      drill.advance(1, SECONDS);
      said.add(repairs().why());
    }
    assertThat(said).contains("At most 1 Node of the NodePool at once: 1 is being repaired.");
  }

  @Test
  void anAlertThatEndsBeforeTheCommitmentEndsTheCordon() {
    Node node = grown();
    Pod pod = work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(1, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    signals.report(
        node.name(),
        Signal.standing(key(OUT_WHEN_IDLE), drill.world.instant()).endedAt(drill.world.instant()));
    cluster.workloads().finish(pod.uid());
    drill.advance(9, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    drill.advance(2, MINUTES);
    assertThat(present(node).cordoned()).isFalse();
    drill.advance(1, HOURS);
    assertThat(now(node)).isPresent();
    assertThat(events(node, EventReason.NODE_UNCORDONED))
        .containsExactly(
            "Node %s is uncordoned and stays in NodePool a: its alert ended."
                .formatted(node.name()));
  }

  @Test
  void aPoolThatObservesRepairsNothingAndSaysWhat() {
    Node node = grown();
    repair("observe");
    report(node, OUT_NOW);
    drill.advance(1, HOURS);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(repairs().waiting()).isOne();
    assertThat(repairs().names()).containsExactly(node.name());
    assertThat(repairs().why())
        .isEqualTo("The NodePool only observes alerts (annotation nodepool.io/repair).");
    repair("act");
    drill.toRest();
    assertThat(now(node)).isEmpty();
  }

  @Test
  void aNodeWhoseUserRefusesIsNotRepaired() {
    Node node = grown();
    cluster
        .nodeClients()
        .annotation(node.name(), NodeAnnotations.REPAIR.key(), Optional.of(NodeAnnotations.OFF));
    report(node, OUT_NOW);
    drill.advance(1, HOURS);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(repairs()).isEqualTo(RepairState.NONE);
  }

  /** What metrics serve of the Nodes that wait. */
  private Map<String, Integer> waitingByReason() {
    return drill.world.operators().states().findFirst().orElseThrow().snapshots().figures().stream()
        .findFirst()
        .orElseThrow()
        .plan()
        .repairsWaiting();
  }

  /** Four of twenty are the most that stand on so many without being suspect. */
  @Test
  void noMoreAreCordonedThanTheLevelAdmitsAndTheRestFollows() {
    List<Node> nodes = grown(20);
    nodes.forEach(this::work);
    for (int i = 0; i < 8; i++) {
      report(nodes.get(i), i < 4 ? OUT_WHEN_IDLE : "NodeRepeatUCE");
    }
    drill.advance(10, MINUTES);
    assertThat(cordoned()).isEqualTo(4);
    assertThat(repairs().waiting()).isEqualTo(4);
    assertThat(repairs().why())
        .isEqualTo("Unavailable, for whatever cause: 4 of at most 4; no other Node is cordoned.");
    assertThat(pool.look()).isEqualTo(SummaryReason.REPAIRS_HELD);
    assertThat(waitingByReason()).containsExactly(Map.entry("TooManyUnavailable", 4));
    cluster.pods().values().stream().toList().forEach(pod -> cluster.workloads().finish(pod.uid()));
    drill.advance(12, HOURS);
    assertThat(nodes).filteredOn(node -> host(node).deliveries().isSetAside()).hasSize(3);
    assertThat(pool.nodes()).hasSize(20);
    assertThat(repairs().waiting()).isEqualTo(5);
    assertThat(repairs().why())
        .isEqualTo(
            "Hosts of the NodePool set aside for alerts within 24 hours without a failed verification: 3 of at most 3. No other one is until that is longer ago, or a person releases it.");
    pool.edit(spec ->
        spec.withRepair(
            PoolSpec.RepairPolicy.DEFAULTS.withLimits(
                RepairBrakes.DEFAULTS.withReleased(Optional.of(drill.world.instant())))));
    drill.advance(12, HOURS);
    assertThat(nodes).filteredOn(node -> host(node).deliveries().isSetAside()).hasSize(6);
    drill.advance(2, DAYS);
    assertThat(nodes).filteredOn(node -> host(node).deliveries().isSetAside()).hasSize(8);
    assertThat(repairs().waiting()).isZero();
    assertThat(waitingByReason()).isEmpty();
  }

  @Test
  void oneMonitorThatIsWrongAboutAllNodesHarmsNone() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> report(node, OUT_NOW));
    drill.advance(2, HOURS);
    assertThat(nodes).allMatch(node -> now(node).isPresent());
    assertThat(nodes).allMatch(node -> powerCycles(node) == 0);
    assertThat(cordoned()).isLessThanOrEqualTo(4);
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    // Idle machines are verified all the same, one after the other.
    assertThat(repairs().waiting()).isEqualTo(19);
    nodes.forEach(node -> signals.withdraw(node.name(), key(OUT_NOW)));
    drill.advance(30, MINUTES);
    assertThat(cordoned()).isZero();
    drill.advance(24, HOURS);
    assertThat(repairs().suspects()).isEmpty();
    assertThat(nodes).allMatch(node -> now(node).isPresent());
  }

  @Test
  void aPersonReleasesAnAlertThatIsSuspectedForAWhile() {
    List<Node> nodes = grown(20);
    nodes.subList(0, 6).forEach(node -> report(node, OUT_NOW));
    drill.advance(30, MINUTES);
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    assertThat(nodes).allMatch(node -> now(node).isPresent());

    Instant until = drill.world.instant().plus(Duration.ofMinutes(40));
    pool.edit(spec ->
        spec.withRepair(
            PoolSpec.RepairPolicy.DEFAULTS.withSuspects(
                ReleasedSuspects.read(OUT_NOW + "/" + until))));
    drill.advance(20, MINUTES);
    assertThat(repairs().suspects()).isEmpty();
    assertThat(nodes).filteredOn(node -> host(node).deliveries().isSetAside()).isNotEmpty();
    drill.advance(12, HOURS);
    assertThat(nodes.subList(6, 20)).allMatch(node -> now(node).isPresent());

    // What stands on so many again later is suspected again.
    long out = nodes.stream().filter(node -> host(node).deliveries().isSetAside()).count();
    pool.nodes().stream().limit(8).forEach(node -> report(node, OUT_NOW));
    drill.advance(1, HOURS);
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    assertThat(nodes).filteredOn(node -> host(node).deliveries().isSetAside()).hasSize((int) out);
  }

  @Test
  void whatCannotBeReadReleasesNothingAndIsSaid() {
    List<Node> nodes = grown(20);
    pool.edit(spec ->
        spec.withRepair(
            PoolSpec.RepairPolicy.DEFAULTS.withSuspects(ReleasedSuspects.read(OUT_NOW + "/soon"))));
    nodes.subList(0, 6).forEach(node -> report(node, OUT_NOW));
    drill.advance(30, MINUTES);
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    assertThat(repairs().why())
        .endsWith(
            "The annotation nodepool.io/release-suspects is ignored in part: \"%s/soon\" is not ALERT/UNTIL."
                .formatted(OUT_NOW));
  }

  @Test
  void oneMachineAMinuteIsRepairedAndFewAtOnce() {
    List<Node> nodes = grown(20);
    for (int i = 0; i < 4; i++) {
      report(nodes.get(i), REBOOT_NOW);
    }
    drill.advance(90, SECONDS);
    assertThat(nodes.stream().mapToInt(this::powerCycles).sum()).isEqualTo(1);
    for (int i = 0; i < 240; i++) {
      drill.advance(1, MINUTES);
      long rebooting =
          pool.nodes().stream()
              .filter(each ->
                  each.metadata().label(NodeLabels.STATE).equals(LifecycleState.REBOOT.word()))
              .count();
      assertThat(rebooting).isLessThanOrEqualTo(1);
      nodes.stream()
          .filter(each -> powerCycles(each) > 0)
          .forEach(each -> signals.withdraw(each.name(), key(REBOOT_NOW)));
    }
    assertThat(nodes.stream().limit(4)).allMatch(each -> powerCycles(each) == 1);
    assertThat(cordoned()).isZero();
  }

  /** Each pool may let one go at its first plan. */
  @Test
  void noMoreThanTenMachinesOfAllPoolsAreRepairedAtOnce() {
    for (int i = 0; i < 14; i++) {
      drill.pool("p" + i).target(1);
    }
    drill.toRest();
    List<Node> nodes = List.copyOf(cluster.nodes().values());
    assertThat(nodes).hasSize(14);
    nodes.forEach(node -> report(node, REBOOT_NOW));
    drill.advance(90, SECONDS);
    assertThat(nodes.stream().mapToInt(this::powerCycles).sum()).isEqualTo(10);
    for (int minute = 0; minute < 300; minute++) {
      drill.advance(1, MINUTES);
      nodes.stream()
          .filter(each -> powerCycles(each) > 0)
          .forEach(each -> signals.withdraw(each.name(), key(REBOOT_NOW)));
    }
    assertThat(nodes).allMatch(each -> powerCycles(each) == 1 && !present(each).cordoned());
  }

  /** More of them could be on the far side of a network that is torn. */
  @Test
  void aFifthOfThePoolThatIsSilentIsAllRepairedOneAfterTheOther() {
    List<Node> nodes = grown(20);
    List<Node> broken = nodes.subList(0, 4);
    broken.forEach(node -> drill.world.actors().silence(node.name(), Duration.ofDays(2)));
    drill.advance(14, MINUTES);
    assertThat(cordoned()).isZero();
    drill.advance(3, HOURS);
    assertThat(broken).allMatch(node -> powerCycles(node) == 1 && present(node).ready());
    assertThat(nodes.subList(4, 20)).allMatch(node -> powerCycles(node) == 0);
    assertThat(cordoned()).isZero();
    assertThat(repairs().suspects()).isEmpty();
  }

  @Test
  void aQuarterOfThePoolThatIsSilentIsRepairedOnceAPersonReleasesIt() {
    List<Node> nodes = grown(20);
    List<Node> broken = nodes.subList(0, 5);
    broken.forEach(node -> drill.world.actors().silence(node.name(), Duration.ofDays(2)));
    drill.advance(6, HOURS);
    assertThat(nodes).allMatch(node -> powerCycles(node) == 0);
    assertThat(suspects()).containsExactly(NOT_READY + " Held");
    assertThat(pool.message(PoolCondition.REPAIRS_HELD))
        .isEqualTo(
            "So many Nodes are not Ready although their machines run that the network may be at fault; none is rebooted for %s until fewer are, or a person releases it."
                .formatted(NOT_READY));
    Instant until = drill.world.instant().plus(Duration.ofHours(6));
    pool.edit(spec ->
        spec.withRepair(
            PoolSpec.RepairPolicy.DEFAULTS.withSuspects(
                ReleasedSuspects.read(NOT_READY + "/" + until))));
    drill.advance(5, HOURS);
    assertThat(broken).allMatch(node -> powerCycles(node) == 1 && present(node).ready());
  }

  @Test
  void aPersonWhoUncordonsEndsItWithItsMarks() {
    Node node = grown();
    work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(1, MINUTES);
    cluster.nodeClients().cordon(node.name(), false);
    drill.advance(1, MINUTES);
    assertThat(present(node).cordoned()).isFalse();
    assertThat(present(node).metadata().annotations())
        .doesNotContainKey(NodeAnnotations.CORDON_REASON.key());
    assertThat(Map.copyOf(present(node).metadata().labels()))
        .containsEntry(NodeLabels.STATE.key(), "production");
  }

  /** No work ends for a repair that cannot be recorded; the pool says what is refused. */
  @Test
  void aRepairThatCannotBeRecordedOnItsHostIsNamed() {
    Node node = grown();
    Pod pod = work(node);
    forbid(HostOperation.Note.class, Duration.ofHours(1));
    report(node, REBOOT_NOW);
    drill.advance(30, MINUTES);

    assertThat(lives(pod)).isTrue();
    assertThat(drill.events(EventReason.NODE_POOL_NODES_REBOOT_ERROR))
        .singleElement()
        .satisfies(event ->
            assertThat(event.eventDraft().message())
                .startsWith(
                    "1 Node (%s) cannot be rebooted or verified at present, and it is tried again: recording a repair of machine %s: "
                        .formatted(node.name(), node.name())));
    drill.advance(1, HOURS);
    assertThat(powerCycles(node)).isPositive();
  }
}
