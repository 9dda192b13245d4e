package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BoardFactsTest {
  @Test
  void aMachinesStateFollowsFromItsHostAndItsNode() {
    assertThat(state(host(false, HostStatus.Phase.FREE), null)).isEqualTo(MachineState.FREE);
    assertThat(state(host(false, HostStatus.Phase.CLEANING), null))
        .isEqualTo(MachineState.CLEANING);
    assertThat(state(host(false, HostStatus.Phase.STOPPED), null)).isEqualTo(MachineState.CLEANING);
    assertThat(state(host(false, HostStatus.Phase.FAILED), null)).isEqualTo(MachineState.FAILED);
    assertThat(state(host(false, null), null)).isEqualTo(MachineState.UNREPORTED);
    HostResource aside = host(false, HostStatus.Phase.FREE);
    aside.getSpec().setAside = "it failed three times";
    assertThat(state(aside, null)).isEqualTo(MachineState.SET_ASIDE);

    assertThat(state(host(true, HostStatus.Phase.FREE), null)).isEqualTo(MachineState.BOOTING);
    assertThat(state(host(true, HostStatus.Phase.RUNNING), null)).isEqualTo(MachineState.JOINING);
    assertThat(state(host(true, HostStatus.Phase.STOPPED), null)).isEqualTo(MachineState.STOPPED);
    assertThat(state(host(true, HostStatus.Phase.FAILED), null)).isEqualTo(MachineState.FAILED);
    HostResource ofBefore = host(true, HostStatus.Phase.RUNNING);
    ofBefore.getSpec().tenancy = 2;
    assertThat(state(ofBefore, null)).isEqualTo(MachineState.BOOTING);
    HostResource off = host(true, HostStatus.Phase.RUNNING);
    off.getSpec().power = HostSpec.Power.OFF;
    assertThat(state(off, null)).isEqualTo(MachineState.STOPPED);
  }

  /** In the words of {@code node describe}. */
  @Test
  void whatIsDoneWithADisruptedNodeFollowsFromItsRecord() {
    Node node = node("now", "Ready", "CWRegistered", "CWNodeRemoval");
    node.getMetadata()
        .setAnnotations(
            Map.of(
                "nodepool.io/removal",
                "{\"v\":1,\"seq\":1,\"stage\":\"Committed\",\"causes\":[{\"cause\":\"Orphaned\",\"at\":\"2026-11-22T09:59:00Z\"}],\"cordon\":\"Ours\",\"at\":\"2026-11-22T10:00:00Z\",\"ending\":\"Leave\",\"forceAt\":\"2026-11-22T10:30:00Z\"}"));

    assertThat(BoardFacts.of(node).disruption().map(DisruptionView::text))
        .contains(
            "Draining since 2026-11-22T09:59:00Z: its pool is gone; waits for its Pods to end, until 2026-11-22T10:30:00Z, then the Pods left are deleted.");
    node.getMetadata().setAnnotations(Map.of("nodepool.io/removal", "a later version's"));
    assertThat(BoardFacts.of(node).disruption()).isEmpty();
    assertThat(BoardFacts.of(node("now", "Ready")).disruption()).isEmpty();
  }

  @Test
  void aNodeThatDidNotComeBackWaitsToLeave() {
    String record =
        "{\"v\":1,\"seq\":2,\"stage\":\"Committed\",\"causes\":[{\"cause\":\"Verification\",\"ref\":\"production-verification\",\"at\":\"2026-11-22T09:59:00Z\"}],\"cordon\":\"Ours\",\"at\":\"2026-11-22T10:00:00Z\",\"ending\":\"Reboot\",\"forceAt\":\"2026-11-22T10:30:00Z\",\"boot\":\"Verification\"}";
    Node node = node("now", "Ready");
    node.getMetadata()
        .setAnnotations(
            Map.of(
                "nodepool.io/removal",
                record,
                "nodepool.io/reboot-failed",
                "2/2026-11-22T10:00:00Z"));

    assertThat(BoardFacts.of(node).disruption().map(DisruptionView::text))
        .contains(
            "Failed since 2026-11-22T09:59:00Z: its verification was requested; waits for its machine to pass another verification, or its pool to let it leave.");
    node.getMetadata()
        .setAnnotations(
            Map.of(
                "nodepool.io/removal",
                record,
                "nodepool.io/reboot-failed",
                "1/2026-11-21T10:00:00Z"));
    assertThat(BoardFacts.of(node).disruption().map(DisruptionView::stage)).contains("Draining");
  }

  @Test
  void theStateOfARunningMachineFollowsFromItsNode() {
    HostResource running = host(true, HostStatus.Phase.RUNNING);

    assertThat(state(running, node("now", "Ready"))).isEqualTo(MachineState.JOINING);
    assertThat(state(running, node("now", "CWRegistered"))).isEqualTo(MachineState.NOT_READY);
    assertThat(state(running, node("now", "Ready", "CWRegistered"))).isEqualTo(MachineState.IDLE);
    assertThat(state(running, node("now", "Ready", "CWRegistered", "CWActive")))
        .isEqualTo(MachineState.BUSY);
    Node cordoned = node("now", "Ready", "CWRegistered", "CWActive");
    cordoned.getSpec().setUnschedulable(true);
    assertThat(state(running, cordoned)).isEqualTo(MachineState.CORDONED);
    assertThat(state(running, node("now", "Ready", "CWRegistered", "CWNodeRemoval")))
        .isEqualTo(MachineState.DRAINING);
    Node rebooting = node("now", "CWRegistered");
    rebooting.getMetadata().setLabels(Map.of("node.coreweave.cloud/state", "production-reboot"));
    assertThat(state(running, rebooting)).isEqualTo(MachineState.REBOOTING);
  }

  @Test
  void aNodeWhoseDisruptionIsOverIsNotShownAsDraining() {
    Node back = node("now", "Ready", "CWRegistered");
    back.getMetadata()
        .setAnnotations(Map.of("nodepool.io/removal", "{\"v\":1,\"stage\":\"PassedOver\"}"));
    back.getMetadata().setLabels(Map.of("node.coreweave.cloud/state", "production"));

    assertThat(state(host(true, HostStatus.Phase.RUNNING), back)).isEqualTo(MachineState.IDLE);
  }

  @Test
  void aHeartbeatDoesNotChangeTheView() {
    assertThat(BoardFacts.of(node("05:00:10Z", "Ready", "CWRegistered")))
        .isEqualTo(BoardFacts.of(node("05:00:20Z", "Ready", "CWRegistered")));
  }

  @Test
  void racksAreInTheOrderOfTheirNumbers() {
    assertThat(
            Stream.of("h100-10", "h100-2", "170", "h100-1", "099", "9", "")
                .map(rack -> new MachineView.Place("t", "z", rack, "1", "n"))
                .sorted(MachineView.Place.ORDER)
                .map(MachineView.Place::rack))
        .containsExactly("", "9", "099", "170", "h100-1", "h100-2", "h100-10");
  }

  private static MachineState state(HostResource host, @Nullable Node node) {
    return BoardFacts.of(host).with(Optional.ofNullable(node).map(BoardFacts::of)).state();
  }

  private static HostResource host(boolean assigned, HostStatus.@Nullable Phase phase) {
    HostResource host = new HostResource();
    host.setMetadata(new ObjectMetaBuilder().withName("g0a1b2c").build());
    host.setSpec(new HostSpec());
    host.getSpec().tenancy = 1;
    host.getSpec().assignment = assigned ? new HostSpec.AssignmentSpec() : null;
    HostStatus status = new HostStatus();
    status.phase = phase;
    status.tenancy = 1L;
    host.setStatus(status);
    return host;
  }

  private static Node node(String heartbeat, String... conditions) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("g0a1b2c")
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .withConditions(
            List.of(conditions).stream()
                .map(type ->
                    new io.fabric8.kubernetes.api.model.NodeConditionBuilder()
                        .withType(type)
                        .withStatus("True")
                        .withLastHeartbeatTime(heartbeat)
                        .build())
                .toList())
        .endStatus()
        .build();
  }
}
