package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The requests of a data centre on a cluster about a reboot, one by one. */
class FleetRebootsTest {
  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final Duration REBOOT = Duration.ofMinutes(3);
  private static final Duration VERIFICATION = Duration.ofMinutes(10);

  private LoopHarness harness = new LoopHarness();
  private HostResource host = new HostResource();
  private Node node = new Node();

  @BeforeEach
  void joinTheNode() throws Exception {
    harness.loop.fleetSeen(harness.fleet());
    harness.loop.listed();
    host = harness.host();
    harness.answer(harness.done(host));
    host = harness.assigned(host);
    harness.loop.hostSeen(host);
    harness.pass(Duration.ofSeconds(60));
    reported();
    node = Serialization.unmarshal(harness.first().request().body(), Node.class);
    node.getMetadata().setUid("node-uid");
    harness.answer(harness.done(node));
    assertThat(harness.waiting()).isEmpty();
  }

  private String hostPath(String below) {
    return "/apis/fleet.nodepool.io/v1alpha1/hosts/" + host.getMetadata().getName() + below;
  }

  private String nodePath(String below) {
    return "/api/v1/nodes/" + node.getMetadata().getName() + below;
  }

  private HostStatus status() {
    return Objects.requireNonNull(host.getStatus());
  }

  /** Writes a request to leave the present boot to the Host. */
  private void ask(int attempt) {
    HostSpec.BootSpec boot = new HostSpec.BootSpec();
    boot.from = status().bootId;
    boot.attempt = attempt;
    boot.kind = "Reboot";
    boot.operation = "op-1";
    boot.requestedAt = harness.now().toString();
    host = Serialization.clone(host);
    host.getSpec().boot = boot;
    harness.loop.hostSeen(harness.seen(host));
  }

  /** The status of the Host that the request in flight writes. */
  private HostResource patched() throws Exception {
    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + hostPath("/status"));
    JsonNode patch = new ObjectMapper().readTree(harness.first().request().body());
    JsonNode value =
        StreamSupport.stream(patch.spliterator(), false)
            .filter(operation -> operation.get("path").asText().equals("/status"))
            .findFirst()
            .orElseThrow()
            .get("value");
    HostResource next = Serialization.clone(host);
    next.setStatus(Serialization.unmarshal(value.toString(), HostStatus.class));
    return next;
  }

  /** The request in flight about the Host takes effect and is answered. */
  private void reported() throws Exception {
    host = patched();
    harness.answer(harness.done(host));
  }

  /** The request in flight about the Node takes effect and is answered. */
  private void nodeReported(String ready) throws Exception {
    assertThat(harness.waiting()).containsExactly("STRATEGIC_PATCH " + nodePath("/status"));
    JsonNode patch = new ObjectMapper().readTree(harness.first().request().body());
    node = Serialization.clone(node);
    node.getStatus().getNodeInfo().setBootID(patch.at("/status/nodeInfo/bootID").asText());
    node.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .forEach(condition -> condition.setStatus(ready));
    assertThat(harness.first().request().body()).contains("\"" + ready + "\"");
    harness.answer(harness.done(node));
  }

  /** A data centre that starts now, with the objects as they are. */
  private void restart() {
    LoopHarness last = harness;
    harness = new LoopHarness();
    harness.pass(Duration.between(harness.now(), last.now()));
    harness.loop.fleetSeen(harness.fleet());
    harness.loop.hostSeen(harness.seen(Serialization.clone(host)));
    harness.loop.nodeSeen(harness.seen(Serialization.clone(node)));
    harness.loop.listed();
    harness.refuseReports();
  }

  @Test
  void aRebootIsWrittenStepByStep() throws Exception {
    String first = Objects.requireNonNull(status().bootId);
    ask(1);
    reported();
    assertThat(status().reboots).isEqualTo(1);
    assertThat(status().bootId).isEqualTo(first);
    assertThat(Objects.requireNonNull(status().boot).from).isEqualTo(first);
    nodeReported("False");
    assertThat(node.getStatus().getNodeInfo().getBootID()).isEqualTo(first);
    harness.pass(REBOOT.minus(MOMENT));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);
    reported();
    assertThat(status().boot).isNull();
    assertThat(status().bootId).isNotEqualTo(first);
    nodeReported("True");
    assertThat(node.getStatus().getNodeInfo().getBootID()).isEqualTo(status().bootId);
    harness.pass(VERIFICATION.minus(MOMENT));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);
    reported();
    assertThat(Objects.requireNonNull(status().verification).outcome)
        .isEqualTo(HostStatus.VerificationOutcome.PASSED);
    harness.pass(Duration.ofHours(1));
    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aRequestThatNamesNoBootIsTestedToNameNone() throws Exception {
    host = Serialization.clone(host);
    status().bootId = null;
    harness.loop.hostSeen(harness.seen(host));
    nodeReported("True");
    ask(1);

    JsonNode patch = new ObjectMapper().readTree(harness.first().request().body());
    assertThat(patch)
        .filteredOn(operation ->
            List.of("/spec/boot/from", "/status/bootId").contains(operation.get("path").asText()))
        .hasSize(2)
        .allMatch(operation -> operation.get("value").isNull());
    reported();
    assertThat(Objects.requireNonNull(status().boot).from).isNull();
  }

  @Test
  void aRebootWhoseBeginIsInDoubtAndTookEffectDoesNotBeginAgain() throws Exception {
    ask(1);
    HostResource begun = patched();
    harness.answer(new Answer.Unknown<>("time-out"));
    harness.loop.hostSeen(harness.seen(Serialization.clone(host)));
    assertThat(harness.waiting()).isEmpty();
    harness.pass(MOMENT);
    assertThat(harness.waiting()).containsExactly("GET " + hostPath(""));
    host = begun;
    harness.answer(harness.done(host));

    nodeReported("False");
    harness.pass(REBOOT);
    reported();
    assertThat(status().reboots).isEqualTo(1);
  }

  @Test
  void aRebootWhoseBeginDidNotTakeEffectBeginsLater() throws Exception {
    ask(1);
    harness.answer(new Answer.Unknown<>("time-out"));
    harness.pass(MOMENT);
    harness.answer(harness.done(host));
    harness.pass(MOMENT);

    reported();
    assertThat(status().reboots).isEqualTo(1);
  }

  @Test
  void aDataCentreThatRestartsBetweenAnyTwoWritesMakesOnePowerCycle() throws Exception {
    ask(1);
    restart();
    reported();
    restart();
    nodeReported("False");
    restart();
    assertThat(harness.waiting()).isEmpty();
    harness.pass(REBOOT);
    reported();
    restart();
    nodeReported("True");
    restart();
    assertThat(harness.waiting()).isEmpty();
    harness.pass(VERIFICATION);
    reported();
    restart();

    harness.pass(Duration.ofHours(1));
    assertThat(harness.waiting()).isEmpty();
    assertThat(status().reboots).isEqualTo(1);
  }

  @Test
  void aPodNeitherEndsNorStartsWhileTheMachineReboots() throws Exception {
    ask(1);
    reported();
    nodeReported("False");
    harness.loop.podSeen(harness.seen(pod("new")));
    Pod ending = pod("ending");
    ending.getMetadata().setDeletionTimestamp(harness.now().plusSeconds(30).toString());
    harness.loop.podSeen(harness.seen(ending));
    harness.pass(Duration.ofMinutes(1));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(REBOOT.minus(Duration.ofMinutes(1)));
    reported();
    nodeReported("True");
    assertThat(harness.waiting())
        .containsExactlyInAnyOrder(
            "STRATEGIC_PATCH /api/v1/namespaces/default/pods/new/status",
            "STRATEGIC_PATCH /api/v1/namespaces/default/pods/ending/status");
  }

  private Pod pod(String name) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName(name)
        .withUid(name + "-uid")
        .endMetadata()
        .withNewSpec()
        .withNodeName(node.getMetadata().getName())
        .addNewContainer()
        .withName("main")
        .withImage("i")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  @Test
  void aKubeletWhoseMachineRebootsDoesNotRenewItsLease() throws Exception {
    SimulatedMachine machine = new SimulatedMachine(host.getMetadata().getName());
    Heartbeats heartbeats = new Heartbeats(new FleetRequests("default", "nodepool-system"));
    machine.host = Sightings.host(Serialization.clone(host)).orElseThrow().host();
    machine.node = Sightings.node(node);
    assertThat(heartbeats.next(machine, harness.now())).isPresent();

    ask(1);
    reported();
    machine.host = Sightings.host(Serialization.clone(host)).orElseThrow().host();
    assertThat(heartbeats.next(machine, harness.now())).isEmpty();
    nodeReported("False");
    harness.pass(REBOOT);
    reported();
    machine.host = Sightings.host(Serialization.clone(host)).orElseThrow().host();
    assertThat(heartbeats.next(machine, harness.now())).isEmpty();
    nodeReported("True");
    machine.node = Sightings.node(node);
    assertThat(heartbeats.next(machine, harness.now())).isPresent();
  }
}
