package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.model.node.NodeAlerts;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeAndPodConversionTest {
  private static NodeBuilder hostsNode() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("g00001")
        .withUid("n-1")
        .withResourceVersion("5")
        .withCreationTimestamp("2026-11-21T05:00:00Z")
        .addToAnnotations(NodeAnnotations.HOST_UID.key(), "h-1")
        .addToAnnotations(NodeAnnotations.TENANCY.key(), "3")
        .endMetadata();
  }

  private static Node withCondition(String type, String status, String message) {
    return hostsNode()
        .withNewStatus()
        .addNewCondition()
        .withType(type)
        .withStatus(status)
        .withMessage(message)
        .endCondition()
        .endStatus()
        .build();
  }

  private static PodBuilder boundPod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("tenant")
        .withName("p")
        .withUid("pod-1")
        .withResourceVersion("9")
        .endMetadata()
        .withNewSpec()
        .withNodeName("g00001")
        .endSpec();
  }

  @Test
  void aNodeWithoutAHostIsNotObserved() {
    Node foreign = hostsNode().editMetadata().withAnnotations(null).endMetadata().build();

    assertThat(NodeConversion.node(foreign)).isEmpty();
  }

  /** Everyone may write conditions under a domain, so they must not crowd out one of an alert. */
  @ParameterizedTest
  @CsvSource({
    "KernelDeadlock, True, 1",
    "KernelDeadlock, False, 0",
    "example.com/KernelDeadlock, True, 0",
    "MemoryPressure, True, 0",
    "Drained, True, 0",
    "CWRegistered, True, 0"
  })
  void conditionsOfOthersThatMayMeanAnAlertHaveNoDomain(String type, String status, int read) {
    assertThat(
            NodeConversion.node(withCondition(type, status, ""))
                .orElseThrow()
                .status()
                .alerts()
                .others())
        .hasSize(read);
  }

  @Test
  void aNodeNamesItsHostAndTenancy() {
    io.nodepool.model.node.Node node = NodeConversion.node(hostsNode().build()).orElseThrow();

    assertThat(node.hostUid()).isEqualTo("h-1");
    assertThat(node.identity().tenancy()).isEqualTo(3);
    assertThat(node.ready()).isFalse();
    assertThat(node.registered()).isFalse();
    assertThat(node.cordoned()).isFalse();
    assertThat(node.activity()).isEmpty();
  }

  @Test
  void aConditionOfOthersIsConfirmedByItsHeartbeatOrElseByItsTransition() {
    Instant since = Instant.parse("2026-11-26T18:00:00Z");
    NodeBuilder object =
        hostsNode()
            .withNewStatus()
            .addNewCondition()
            .withType("KernelDeadlock")
            .withStatus("True")
            .withMessage("stuck")
            .withLastTransitionTime(since.toString())
            .withLastHeartbeatTime("2026-11-26T18:05:00Z")
            .endCondition()
            .endStatus();

    assertThat(others(object))
        .containsExactly(new NodeAlerts.Other(since, since.plusSeconds(300), "stuck"));
    object.editStatus().editFirstCondition().withLastHeartbeatTime(null).endCondition().endStatus();
    assertThat(others(object)).containsExactly(new NodeAlerts.Other(since, since, "stuck"));
  }

  private static Collection<NodeAlerts.Other> others(NodeBuilder object) {
    return NodeConversion.node(object.build()).orElseThrow().alerts().others().values();
  }

  @Test
  void onlyTheMetadataThatDecisionsUseIsKept() {
    Node object =
        hostsNode()
            .editMetadata()
            .addToLabels("node.coreweave.cloud/state", "production")
            .addToLabels("team", "research")
            .addToLabels("topology.kubernetes.io/zone", "US-EAST-04A")
            .addToAnnotations(
                NodeAnnotations.APPLIED_METADATA.key(),
                "{\"labels\":{\"team\":\"research\"},\"annotations\":{\"contact\":\"a\"}}")
            .addToAnnotations("contact", "b")
            .addToAnnotations("note", "c")
            .endMetadata()
            .withNewSpec()
            .addNewTaint("NoSchedule", "k", null, "v")
            .endSpec()
            .build();

    NodeMetadata metadata = NodeConversion.node(object).orElseThrow().metadata();

    assertThat(metadata.labels())
        .containsOnly(entry("node.coreweave.cloud/state", "production"), entry("team", "research"));
    assertThat(metadata.annotations()).containsOnly(entry("contact", "b"));
    assertThat(metadata.taints()).containsExactly(new Taint("k", "v", "NoSchedule"));
    assertThat(metadata.restricted()).isEqualTo(metadata);
  }

  @Test
  void aNodeThatIsBeingDeletedNamesItsFinalizers() {
    NodeBuilder kept = hostsNode().editMetadata().addToFinalizers("example.com/keep").endMetadata();
    Node deleted =
        new NodeBuilder(kept.build())
            .editMetadata()
            .withDeletionTimestamp("2026-11-21T05:02:00Z")
            .endMetadata()
            .build();

    assertThat(NodeConversion.node(deleted).orElseThrow())
        .extracting(io.nodepool.model.node.Node::finalization)
        .isEqualTo(new io.nodepool.model.node.Node.Finalization(true, List.of("example.com/keep")));
    assertThat(NodeConversion.node(kept.build()).orElseThrow())
        .extracting(io.nodepool.model.node.Node::finalization)
        .isEqualTo(io.nodepool.model.node.Node.Finalization.NONE);
  }

  @Test
  void aNodesConditionsAreReadByTheirStatus() {
    assertThat(NodeConversion.node(withCondition("Ready", "True", "")).orElseThrow().ready())
        .isTrue();
    assertThat(NodeConversion.node(withCondition("CWRegistered", "True", "")).orElseThrow())
        .matches(io.nodepool.model.node.Node::registered);
    assertThat(
            NodeConversion.node(withCondition("CWActive", "False", "idle"))
                .orElseThrow()
                .activity())
        .contains(new io.nodepool.model.node.Node.Activity(false, "idle"));
    assertThat(
            NodeConversion.node(withCondition("CWActive", "Unknown", "?")).orElseThrow().activity())
        .isEmpty();
  }

  @Test
  void aNodeIsLockedWhileItHasSunksTaintWhateverItsValue() {
    Node locked =
        hostsNode()
            .withNewSpec()
            .addNewTaint("NoExecute", "sunk.coreweave.com/lock", null, "job-7")
            .endSpec()
            .build();

    assertThat(NodeConversion.node(locked).orElseThrow().locked()).isTrue();
    assertThat(NodeConversion.node(hostsNode().build()).orElseThrow().locked()).isFalse();
  }

  private static io.nodepool.model.node.Pod.Interruption interruption(String label, String value) {
    Pod pod = boundPod().editMetadata().addToLabels(label, value).endMetadata().build();
    return PodConversion.pod(pod).orElseThrow().interruption();
  }

  @Test
  void aPodIsInterruptibleInEitherSpellingUnderEitherDomain() {
    for (String domain : new String[] {"qos.coreweave.cloud/", "qos.coreweave.com/"}) {
      assertThat(interruption(domain + "interruptable", "true"))
          .isEqualTo(io.nodepool.model.node.Pod.Interruption.AT_ONCE);
      assertThat(interruption(domain + "interruptible", "true"))
          .isEqualTo(io.nodepool.model.node.Pod.Interruption.AT_ONCE);
      assertThat(interruption(domain + "graceful-interruptible", "true"))
          .isEqualTo(io.nodepool.model.node.Pod.Interruption.GRACEFUL);
      assertThat(interruption(domain + "interruptable", "false"))
          .isEqualTo(io.nodepool.model.node.Pod.Interruption.NONE);
    }
  }

  @Test
  void aPodThatIsInterruptibleInBothWaysIsInterruptedGracefully() {
    Pod pod =
        boundPod()
            .editMetadata()
            .addToLabels("qos.coreweave.cloud/interruptable", "true")
            .addToLabels("qos.coreweave.cloud/graceful-interruptible", "true")
            .endMetadata()
            .build();

    assertThat(PodConversion.pod(pod).orElseThrow().interruption())
        .isEqualTo(io.nodepool.model.node.Pod.Interruption.GRACEFUL);
  }

  @Test
  void aTenancyThatIsNotANumberIsNamed() {
    Node object =
        hostsNode()
            .editMetadata()
            .addToAnnotations(NodeAnnotations.TENANCY.key(), "three")
            .endMetadata()
            .build();

    assertThatThrownBy(() -> NodeConversion.node(object))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("annotation fleet.nodepool.io/tenancy is no tenancy: three");
  }

  @Test
  void aPodWithoutANodeIsNotObserved() {
    Pod pod = boundPod().editSpec().withNodeName(null).endSpec().build();

    assertThat(PodConversion.pod(pod)).isEmpty();
  }

  @Test
  void aPodsOwnerIsItsController() {
    Pod pod =
        boundPod()
            .editMetadata()
            .addNewOwnerReference()
            .withKind("Config")
            .withName("other")
            .endOwnerReference()
            .addNewOwnerReference()
            .withKind("DaemonSet")
            .withName("agent")
            .withController(true)
            .endOwnerReference()
            .addToAnnotations("kubernetes.io/config.mirror", "x")
            .withDeletionTimestamp("2026-11-21T05:02:00Z")
            .endMetadata()
            .withNewStatus()
            .withPhase("Running")
            .endStatus()
            .build();

    io.nodepool.model.node.Pod seen = PodConversion.pod(pod).orElseThrow();

    assertThat(seen.owner())
        .isEqualTo(new io.nodepool.model.node.Pod.Owner("DaemonSet", "agent", true));
    assertThat(seen.execution().started()).isTrue();
    assertThat(seen.execution().finished()).isFalse();
    assertThat(seen.deletedAt()).contains(Instant.parse("2026-11-21T05:02:00Z"));
  }

  @Test
  void aPodIsBoundSinceItsConditionSaysThatItIsScheduledElseSinceItsCreation() {
    Pod created =
        boundPod()
            .editMetadata()
            .withCreationTimestamp("2026-01-01T10:00:00Z")
            .endMetadata()
            .build();
    Pod scheduled =
        new PodBuilder(created)
            .withNewStatus()
            .addNewCondition()
            .withType("PodScheduled")
            .withStatus("True")
            .withLastTransitionTime("2026-01-01T10:30:00Z")
            .endCondition()
            .endStatus()
            .build();

    assertThat(boundAt(created)).isEqualTo("2026-01-01T10:00:00Z");
    assertThat(boundAt(scheduled)).isEqualTo("2026-01-01T10:30:00Z");
  }

  private static String boundAt(Pod pod) {
    return PodConversion.pod(pod).orElseThrow().execution().boundAt().toString();
  }

  @Test
  void aPodThatSucceededOrFailedIsFinished() {
    for (String phase : new String[] {"Succeeded", "Failed"}) {
      Pod pod = boundPod().withNewStatus().withPhase(phase).endStatus().build();
      assertThat(PodConversion.pod(pod).orElseThrow().execution().finished()).isTrue();
    }
  }
}
