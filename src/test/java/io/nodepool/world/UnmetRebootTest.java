package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests committed reboots that cannot be requested, and machines of which no boot is reported. */
@Tag("slow")
class UnmetRebootTest {
  /** Every request to boot is refused, as if it named another boot than the Host's. */
  private static final OperatorOverrides REFUSED =
      OperatorOverrides.AS_BUILT.withWire((action, _) -> refused(action));

  private static Action refused(Action action) {
    if (!(action instanceof Action.OnHost(HostOperation.Boot boot))) {
      return action;
    }
    return RebootMutations.asking(boot, "another-boot", boot.request().attempt());
  }

  /** Every request to stage is refused, as if it were decided on another configuration. */
  private static final OperatorOverrides UNSTAGED =
      OperatorOverrides.AS_BUILT.withWire((action, _) -> unstaged(action));

  private static Action unstaged(Action action) {
    return switch (action) {
      case Action.OnHost(HostOperation.Stage stage) -> new Action.OnHost(unstaged(stage));
      case Action.OnHost(HostOperation.Boot boot) ->
          new Action.OnHost(
              new HostOperation.Boot(
                  boot.host(),
                  boot.tenancy(),
                  boot.pool(),
                  boot.request(),
                  boot.stage().map(UnmetRebootTest::unstaged)));
      default -> action;
    };
  }

  private static HostOperation.Stage unstaged(HostOperation.Stage stage) {
    return new HostOperation.Stage(
        stage.host(), stage.tenancy(), stage.pool(), "another", stage.configuration());
  }

  private static String grown(Drill drill) {
    drill.pool("a").target(1).toRest();
    return drill.pool("a").nodes().getFirst().name();
  }

  private static Host host(Drill drill, String node) {
    return Optional.ofNullable(drill.world.cluster().hosts().get(node)).orElseThrow();
  }

  private static void isBack(Drill drill, String node) {
    Node now = Optional.ofNullable(drill.world.cluster().nodes().get(node)).orElseThrow();
    assertThat(now.cordoned()).isFalse();
    assertThat(now.ready()).isTrue();
    assertThat(now.metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(now.metadata().label(NodeLabels.PENDING_STATE)).isEmpty();
  }

  private static int powerCycles(Drill drill, String node) {
    return drill.world.cluster().powerCycles().getOrDefault(node, 0);
  }

  private static List<String> refusals(Drill drill) {
    return drill
        .events(EventReason.NODE_REQUEST_REFUSED)
        .map(WorldCluster.EventRecord::eventDraft)
        .map(EventDraft::message)
        .toList();
  }

  @Test
  void aMachineWithoutAReportedBootIsBootedOnceAndIsBack() {
    Drill drill = Drill.calm(31);
    String node = grown(drill);
    drill.world.cluster().fleetOwner().loseBoot(node);
    new RebootClient(drill).request(node, LifecycleState.POWER_RESET);
    drill.toRest();

    isBack(drill, node);
    assertThat(powerCycles(drill, node)).isOne();
    assertThat(host(drill, node).boot().map(BootRequest::from)).contains("");
  }

  @Test
  void aMachineOfWhichNoBootIsEverReportedIsReplaced() {
    Drill drill = Drill.calm(31);
    String node = grown(drill);
    drill.world.cluster().fleetOwner().loseBoot(node);
    new RebootClient(drill).request(node, LifecycleState.POWER_RESET);
    for (int second = 0; second < 5 * 3600; second++) {
      drill.advance(1, SECONDS);
      drill.world.cluster().fleetOwner().loseBoot(node);
    }

    assertThat(drill.world.cluster().nodes()).doesNotContainKey(node);
    assertThat(powerCycles(drill, node)).isLessThanOrEqualTo(3);
    assertThat(host(drill, node).deliveries().isSetAside()).isTrue();
    assertThat(drill.pool("a").nodes()).hasSize(1);
  }

  @Test
  void aRequestToBootThatIsRefusedForeverEndsTheRebootWithTheReason() {
    Drill drill = Drill.with(31, Faults.NONE, REFUSED);
    String node = grown(drill);
    new RebootClient(drill).request(node, LifecycleState.POWER_RESET);
    endsWithTheReasonAfterHalfAnHour(drill, node);
  }

  private static void endsWithTheReasonAfterHalfAnHour(Drill drill, String node) {
    drill.advance(29, MINUTES);
    assertThat(refusals(drill)).isEmpty();
    drill.advance(2, MINUTES);

    isBack(drill, node);
    assertThat(powerCycles(drill, node)).isZero();
    assertThat(refusals(drill))
        .singleElement()
        .asString()
        .startsWith(
            "Node %s is not rebooted: it could not be requested within 30m: ".formatted(node));
  }

  /** A restart costs the time that was watched before it, and changes nothing else. */
  @Test
  void timeInWhichNoOperatorRanIsNoDelayBeforeTheRequestIsAcceptedEither() {
    Drill drill = Drill.with(31, Faults.NONE, REFUSED);
    String node = grown(drill);
    new RebootClient(drill).request(node, LifecycleState.POWER_RESET);
    drill.advance(20, MINUTES);
    drill.world.operators().kill();
    drill.advance(3, HOURS);
    drill.world.operators().start();
    endsWithTheReasonAfterHalfAnHour(drill, node);
  }

  @Test
  void aConfigurationThatCannotBeStagedEndsTheReconfigurationWithTheReason() {
    Drill drill = Drill.with(31, Faults.NONE, UNSTAGED);
    String node = grown(drill);
    RolloutClient client = new RolloutClient(drill, "a");
    client.release("ncore-2.11.0");
    drill.advance(1, MINUTES);
    client.promote();
    drill.advance(1, MINUTES);
    new RebootClient(drill).request(node, LifecycleState.RECONFIGURE);
    drill.advance(29, MINUTES);
    assertThat(refusals(drill)).isEmpty();
    drill.advance(10, MINUTES);

    isBack(drill, node);
    assertThat(powerCycles(drill, node)).isZero();
    assertThat(refusals(drill))
        .singleElement()
        .asString()
        .startsWith(
            "Node %s is not rebooted: it could not be requested within 30m: ".formatted(node));
  }

  /** Turns that end without a boot are not repeated without end, however many Nodes have one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRolloutWhoseRequestsAreRefusedDoesNotHoldItsNodesAndPauses(boolean staging) {
    Drill drill = Drill.with(31, Faults.NONE, staging ? UNSTAGED : REFUSED);
    drill.pool("a").target(5).toRest();
    Set<String> turns = turns(drill);
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withEvict(true));
    client.rollOut("ncore-2.11.0");
    drill.advance(4, HOURS);

    drill.pool("a").nodes().forEach(node -> isBack(drill, node.name()));
    assertThat(drill.world.cluster().powerCycles().values()).allMatch(cycles -> cycles == 0);
    assertThat(turns).hasSize(3);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(client.state().rollout().reason())
        .startsWith("3 nodes could not be asked to boot into it: ");

    client.start();
    drill.advance(4, HOURS);
    assertThat(turns).hasSize(6);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
  }

  @Test
  void aRolloutOfASingleNodeWhoseRequestsAreRefusedPauses() {
    Drill drill = Drill.with(31, Faults.NONE, REFUSED);
    String node = grown(drill);
    Set<String> turns = turns(drill);
    RolloutClient client = new RolloutClient(drill, "a");
    client.rollOut("ncore-2.11.0");
    drill.advance(4, HOURS);

    isBack(drill, node);
    assertThat(turns).hasSize(1);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(client.state().rollout().reason()).contains(node);
  }

  /** The turns of Nodes in rollouts from now on that begin. */
  private static Set<String> turns(Drill drill) {
    Set<String> turns = new TreeSet<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)) {
                node.disruption()
                    .flatMap(Disruption::active)
                    .filter(active -> !active.turns().isEmpty())
                    .ifPresent(active -> turns.add(node.name() + "/" + active.sequence()));
              }
            });
    return turns;
  }

  @Test
  void aKindOfBootThatTheFleetStopsToOfferEndsTheReboot() {
    Drill drill = Drill.calm(31);
    String node = grown(drill);
    drill.world.cluster().bindPod("default", "work", node, "ReplicaSet");
    new RebootClient(drill).requestNow(node, LifecycleState.POWER_RESET);
    drill.world.advance(java.time.Duration.ofSeconds(7));
    drill.world.cluster().fleetOwner().withdrawBoot(BootKind.POWER_RESET);
    drill.toRest();

    isBack(drill, node);
    assertThat(powerCycles(drill, node)).isZero();
    assertThat(refusals(drill))
        .contains(
            "Node %s is not rebooted: the fleet does not offer PowerReset any more. It is back in production."
                .formatted(node));
  }

  @Test
  void aMachineThatStopsDuringItsRebootIsReplaced() {
    Drill drill = Drill.calm(31);
    String node = grown(drill);
    RebootClient client = new RebootClient(drill);
    client.request(node, LifecycleState.POWER_RESET);
    client.untilBooting(node);
    drill.world.cluster().fleetOwner().report(node, HostPhase.STOPPED, drill.world.instant());
    drill.advance(2, HOURS);

    assertThat(drill.world.cluster().nodes()).doesNotContainKey(node);
    assertThat(drill.pool("a").hosts()).hasSize(1);
    assertThat(powerCycles(drill, node)).isLessThanOrEqualTo(1);
  }
}
