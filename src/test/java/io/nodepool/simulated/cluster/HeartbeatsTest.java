package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeartbeatsTest {
  private static final Duration BOOT = Duration.ofSeconds(60);
  private static final Duration MOMENT = Duration.ofSeconds(1);
  private static final Answer<String> TAKEN = new Answer.Done<>("{}");

  private LoopHarness harness = new LoopHarness(true);
  private HostResource host = new HostResource();
  private String name = "";
  private String lease = "";
  private Node node = new Node();

  /** Makes the machine run as its Node, which was just observed. */
  private void join() {
    harness.loop.fleetSeen(harness.fleet());
    harness.loop.listed();
    host = harness.host();
    name = host.getMetadata().getName();
    lease = "APPLY /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/" + name;
    harness.answer(harness.done(host));
    HostResource assigned = harness.assigned(host);
    harness.loop.hostSeen(assigned);
    harness.pass(BOOT);
    host = LoopHarness.running(assigned);
    harness.answer(harness.done(host));
    node = Serialization.unmarshal(harness.first().request().body(), Node.class);
    node.getMetadata().setUid("node-uid");
    harness.answer(harness.done(node));
  }

  @Test
  void theLeaseOfANodeIsTakenWhenItJoinsAndNamesItsNode() throws Exception {
    join();

    assertThat(harness.waiting()).containsExactly(lease);
    JsonNode body = new ObjectMapper().readTree(harness.first().request().body());
    assertThat(body.at("/metadata/ownerReferences/0/uid").asText()).isEqualTo("node-uid");
    assertThat(body.at("/spec/holderIdentity").asText()).isEqualTo(name);
    assertThat(body.at("/spec/leaseDurationSeconds").asInt()).isEqualTo(40);
    assertThat(body.at("/spec/renewTime").asText()).isEqualTo("2026-11-21T05:01:00.000000Z");
  }

  @Test
  void nothingIsRenewedWithoutLeases() {
    harness = new LoopHarness(false);
    join();
    harness.pass(Duration.ofHours(1));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void itIsRenewedEveryTwentySecondsAndTheFirstTimeEarlier() {
    join();
    harness.answer(TAKEN);
    assertThat(untilTheNext()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
    for (int times = 0; times < 3; times++) {
      harness.answer(TAKEN);
      assertThat(untilTheNext()).isEqualTo(Duration.ofSeconds(20));
    }
  }

  private Duration untilTheNext() {
    Duration passed = Duration.ZERO;
    while (harness.waiting().isEmpty()) {
      harness.pass(MOMENT);
      passed = passed.plus(MOMENT);
      assertThat(passed).isLessThan(Duration.ofMinutes(1));
    }
    assertThat(harness.waiting()).containsExactly(lease);
    return passed;
  }

  @Test
  void aRenewalThatFailedOrIsInDoubtIsRetriedSoon() {
    join();
    harness.answer(new Answer.Unavailable<>("429"));
    harness.pass(MOMENT);
    assertThat(harness.waiting()).containsExactly(lease);

    harness.answer(new Answer.Unknown<>("time-out"));
    harness.pass(MOMENT);
    assertThat(harness.waiting()).containsExactly(lease.replace("APPLY", "GET"));
    harness.answer(TAKEN);
    assertThat(harness.waiting()).containsExactly(lease);
  }

  @Test
  void aKubeletWhoseMachineStoppedSendsNothing() {
    join();
    harness.answer(TAKEN);
    HostResource off = Serialization.clone(host);
    off.getSpec().power = HostSpec.Power.OFF;
    off.getStatus().phase = HostStatus.Phase.STOPPED;
    harness.loop.hostSeen(harness.seen(off));
    harness.pass(Duration.ofHours(1));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aNodeMarkedAsNotReportingIsReportedReadyAgain() throws Exception {
    join();
    harness.answer(TAKEN);
    harness.loop.nodeSeen(harness.seen(givenUp()));
    assertThat(harness.waiting())
        .containsExactly("STRATEGIC_PATCH /api/v1/nodes/" + name + "/status");
    JsonNode body = new ObjectMapper().readTree(harness.first().request().body());
    assertThat(body.at("/metadata/uid").asText()).isEqualTo("node-uid");
    assertThat(body.at("/status/conditions").findValuesAsText("type"))
        .containsExactlyInAnyOrder("Ready", "MemoryPressure", "DiskPressure", "PIDPressure");

    harness.answer(harness.done(node));
    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aNodeThatAnotherClientReportsNotReadyIsNotChanged() {
    join();
    harness.answer(TAKEN);
    Node broken = givenUp();
    ready(broken).setStatus("False");
    ready(broken).setReason("KubeletNotReady");
    harness.loop.nodeSeen(harness.seen(broken));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void anAnswerAboutADeletedNodeDoesNotRestoreIt() {
    join();
    harness.answer(TAKEN);
    harness.loop.nodeSeen(harness.seen(givenUp()));
    LoopHarness.Sent report = harness.first();
    harness.loop.nodeGone(node);
    harness.sent.remove(report);
    report.answer().accept(harness.done(node));

    // The machine still runs, so it joins again.
    harness.pass(Duration.ofSeconds(1));
    assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");
  }

  private Node givenUp() {
    Node silent = Serialization.clone(node);
    ready(silent).setStatus("Unknown");
    ready(silent).setReason("NodeStatusUnknown");
    return silent;
  }

  private static NodeCondition ready(Node node) {
    List<NodeCondition> conditions = new ArrayList<>(node.getStatus().getConditions());
    return conditions.stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .findFirst()
        .orElseThrow();
  }
}
