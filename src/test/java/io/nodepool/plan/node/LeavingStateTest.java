package io.nodepool.plan.node;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.host;
import static io.nodepool.plan.Given.leaving;
import static io.nodepool.plan.Given.machine;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.pool;
import static io.nodepool.plan.Given.running;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.Given;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One row for each Node whose machine was asked to stop: the state that it is given, or none. */
class LeavingStateTest {
  private static final MachinePlanner PLANNER =
      new MachinePlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private static final String ORGANIZATION = "example-org";
  private static final Taint KIND = new Taint("is_gpu", "true", "PreferNoSchedule");
  private static final Host RUNNING = running("g1");
  private static final Host STOPPING = host("g1", HostPhase.RUNNING, 3, Host.Power.OFF);
  private static final Host OFF = host("g1", HostPhase.STOPPED, 3, Host.Power.OFF);
  private static final Host FAILED = host("g1", HostPhase.FAILED, 3, Host.Power.OFF);
  private static final Disruption.Committed DRAINING =
      Disruptions.committed(CandidateRank.IDLE, NOW.minusSeconds(60), NOW.plusSeconds(60));
  private static final Node PRODUCTION = inState("production", ORGANIZATION);

  private static Node inState(String state, String reserved, Taint... besides) {
    Node node = leaving(node(RUNNING, 3), DRAINING);
    SortedMap<String, String> labels = new TreeMap<>(node.metadata().labels());
    labels.put(NodeLabels.STATE.key(), state);
    labels.put(NodeLabels.RESERVED.key(), reserved);
    List<Taint> taints =
        Stream.of(Stream.of(KIND), Reservation.taint(state, reserved).stream(), Stream.of(besides))
            .flatMap(each -> each)
            .toList();
    return node.withMetadata(node.metadata().withLabels(labels).withTaints(taints));
  }

  private static Node inState(LifecycleState state) {
    return inState(state.word(), state.word());
  }

  private static Host setAside(Host host) {
    return host.withDeliveries(
        new DeliveryHistory(Optional.empty(), "its machine did not come back from its reboot"));
  }

  /** Its deletion was requested, and it says that finalizers keep it. */
  private static Node kept(Node node) {
    return node.withFinalization(new Node.Finalization(true, List.of("example.com/keep")))
        .withStatus(
            NodeConditions.removing(
                node.status(),
                Optional.of(
                    new Node.Removing(
                        NodeRemovalReason.AWAITING_FINALIZERS,
                        "The deletion was accepted; finalizers keep the Node: example.com/keep."))));
  }

  static Stream<Arguments> stopped() {
    Taint pending = Reservation.pending(Reservation.CONTROL_PLANE);
    return Stream.of(
        Arguments.of("it will be cleaned", STOPPING, PRODUCTION, "zap"),
        Arguments.of("its Host is set aside", setAside(STOPPING), PRODUCTION, "triage"),
        Arguments.of(
            "its Host is set aside for its reboot",
            setAside(STOPPING),
            inState(LifecycleState.POWER_RESET),
            "triage"),
        Arguments.of(
            "it waits for another reservation",
            STOPPING,
            inState("production", ORGANIZATION, pending),
            "zap"),
        Arguments.of(
            "it is reserved for the control plane",
            STOPPING,
            inState("production", Reservation.CONTROL_PLANE),
            "zap"),
        Arguments.of("it shows its state", STOPPING, inState(LifecycleState.ZAP), ""),
        Arguments.of(
            "it shows that its Host is out of use",
            setAside(STOPPING),
            inState(LifecycleState.TRIAGE),
            ""),
        Arguments.of(
            "its Host was set aside since",
            setAside(STOPPING),
            inState(LifecycleState.ZAP),
            "triage"),
        Arguments.of("it has no state", STOPPING, leaving(node(RUNNING, 3), DRAINING), ""),
        Arguments.of("finalizers keep it", OFF, kept(PRODUCTION), "zap"),
        Arguments.of(
            "finalizers keep it, and it shows its state",
            OFF,
            kept(inState(LifecycleState.ZAP)),
            ""),
        Arguments.of("finalizers keep it, and it failed", FAILED, kept(PRODUCTION), "triage"));
  }

  private static MachinePlan plan(Host host, Node node, MachineSnapshot.Evidence evidence) {
    return PLANNER.plan(
        machine(
            host,
            Optional.of(node),
            List.of(),
            Optional.of(pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)),
            evidence),
        NOW);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("stopped")
  void aNodeShowsInOneWriteWhatBecomesOfItsMachine(
      String situation, Host host, Node node, String state) {
    List<PlannedAction> planned = plan(host, node, MachineSnapshot.Evidence.NONE).plannedActions();

    if (state.isEmpty()) {
      assertThat(planned).isEmpty();
      return;
    }
    assertThat(planned)
        .singleElement()
        .satisfies(only -> {
          assertThat(only.eventDrafts()).isEmpty();
          Action.WriteNode write = (Action.WriteNode) only.action();
          assertThat(write.purpose()).isEqualTo(NodePurpose.SHOW_STATE);
          Node shown = after(node, (NodeChange.OfSpec) write.change());
          assertThat(shown.metadata().label(NodeLabels.STATE)).isEqualTo(state);
          assertThat(shown.metadata().label(NodeLabels.RESERVED)).isEqualTo(state);
          assertThat(shown.metadata().taints())
              .containsExactly(KIND, Reservation.taint(state, state).orElseThrow());
          assertThat(plan(host, shown, MachineSnapshot.Evidence.NONE).plannedActions()).isEmpty();
        });
  }

  private static Node after(Node node, NodeChange.OfSpec change) {
    SortedMap<String, String> labels = new TreeMap<>(node.metadata().labels());
    change.metadata().labels().forEach((key, value) -> labels.put(key, value.orElseThrow()));
    List<Taint> taints =
        Stream.concat(
                node.metadata().taints().stream()
                    .filter(taint -> !change.taints().removed().contains(taint)),
                change.taints().added().stream())
            .toList();
    return node.withMetadata(node.metadata().withLabels(labels).withTaints(taints));
  }

  /** The list is valid for a second, and the machine is stopped on it alone. */
  @Test
  void aDrainedNodeStaysInProductionUntilItsMachineIsAskedToStop() {
    MachineSnapshot.Evidence drained =
        Fixtures.evidence(
            Optional.of(NOW.minusSeconds(6)),
            Optional.of(new MachineSnapshot.Listing(List.of(), NOW)),
            Map.of(),
            false,
            Optional.empty());

    assertThat(plan(RUNNING, PRODUCTION, drained).plannedActions())
        .singleElement()
        .extracting(PlannedAction::action)
        .satisfies(only -> {
          Action.OnHost stop = (Action.OnHost) only;
          assertThat(stop.operation()).isInstanceOf(HostOperation.Stop.class);
        });
  }

  @Test
  void aNodeThatIsDeletedAtOnceNeedsNoWriteBefore() {
    assertThat(plan(OFF, PRODUCTION, MachineSnapshot.Evidence.NONE).plannedActions())
        .singleElement()
        .extracting(PlannedAction::action)
        .isInstanceOf(Action.DeleteNode.class);
  }

  /** That it waits for finalizers is said first, since a person may have to remove them. */
  @Test
  void aNodeThatIsKeptSaysWhyBeforeItShowsItsState() {
    Node deleted =
        PRODUCTION.withFinalization(new Node.Finalization(true, List.of("example.com/keep")));

    assertThat(plan(OFF, deleted, MachineSnapshot.Evidence.NONE).plannedActions())
        .singleElement()
        .extracting(PlannedAction::action)
        .satisfies(only -> {
          Action.WriteNode write = (Action.WriteNode) only;
          assertThat(write.purpose()).isEqualTo(NodePurpose.REPORT_REMOVAL);
        });
  }
}
