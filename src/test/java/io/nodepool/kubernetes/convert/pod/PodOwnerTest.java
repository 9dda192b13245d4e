package io.nodepool.kubernetes.convert.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.model.node.Pod;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The owner of a Pod: the workload that a user created, without reading intermediate objects. */
class PodOwnerTest {
  private static Pod pod(
      String apiVersion, String kind, String name, Map<String, String> labels, String lock) {
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("team")
            .withName("p")
            .withUid("u")
            .withResourceVersion("1")
            .withCreationTimestamp("2026-11-21T05:02:00Z")
            .withLabels(labels)
            .endMetadata()
            .withNewSpec()
            .withNodeName("g1")
            .endSpec();
    if (!lock.isEmpty()) {
      pod.editMetadata().addToAnnotations("sunk.coreweave.com/lock", lock).endMetadata();
    }
    if (!kind.isEmpty()) {
      pod.editMetadata()
          .addNewOwnerReference()
          .withApiVersion(apiVersion)
          .withKind(kind)
          .withName(name)
          .withController(true)
          .endOwnerReference()
          .endMetadata();
    }
    return PodConversion.pod(pod.build()).orElseThrow();
  }

  private static String owner(
      String apiVersion, String kind, String name, Map<String, String> labels) {
    Pod pod = pod(apiVersion, kind, name, labels, "");
    return pod.owner().kind() + " " + pod.owner().name();
  }

  @Test
  void thePodOfADeploymentIsOwnedByIt() {
    Map<String, String> labels = Map.of("pod-template-hash", "6b9f7d5c8");

    assertThat(owner("apps/v1", "ReplicaSet", "train-6b9f7d5c8", labels))
        .isEqualTo("Deployment train");
    assertThat(owner("apps/v1", "ReplicaSet", "a-b-6b9f7d5c8", labels)).isEqualTo("Deployment a-b");
  }

  @Test
  void aReplicaSetWithoutADeploymentIsTheOwner() {
    assertThat(owner("apps/v1", "ReplicaSet", "train", Map.of())).isEqualTo("ReplicaSet train");
    assertThat(owner("apps/v1", "ReplicaSet", "train", Map.of("pod-template-hash", "6b9f7d5c8")))
        .isEqualTo("ReplicaSet train");
    assertThat(owner("apps/v1", "ReplicaSet", "-h", Map.of("pod-template-hash", "h")))
        .isEqualTo("ReplicaSet -h");
    assertThat(owner("example.com/v1", "ReplicaSet", "train-h", Map.of("pod-template-hash", "h")))
        .isEqualTo("ReplicaSet train-h");
  }

  @Test
  void thePodOfACronJobIsOwnedByIt() {
    // 2026-11-21T05:00Z in minutes.
    assertThat(owner("batch/v1", "Job", "nightly-29920620", Map.of())).isEqualTo("CronJob nightly");
  }

  @Test
  void aJobWhoseNameOnlyResemblesACronJobsIsTheOwner() {
    assertThat(owner("batch/v1", "Job", "train-20261121", Map.of()))
        .isEqualTo("Job train-20261121");
    assertThat(owner("batch/v1", "Job", "train-1795237200", Map.of()))
        .isEqualTo("Job train-1795237200");
    assertThat(owner("batch/v1", "Job", "train-99999999999999999999", Map.of()))
        .isEqualTo("Job train-99999999999999999999");
    assertThat(owner("batch/v1", "Job", "train-7", Map.of())).isEqualTo("Job train-7");
    assertThat(owner("batch.volcano.sh/v1alpha1", "Job", "nightly-29920620", Map.of()))
        .isEqualTo("Job nightly-29920620");
  }

  @Test
  void thePodOfAJobSetIsOwnedByIt() {
    assertThat(
            owner(
                "batch/v1",
                "Job",
                "llm-workers-0",
                Map.of("jobset.sigs.k8s.io/jobset-name", "llm")))
        .isEqualTo("JobSet llm");
  }

  private static Pod.Interruption slurm(
      String apiVersion, String kind, Map<String, String> labels, String lock) {
    return pod(apiVersion, kind, "h100", labels, lock).interruption();
  }

  @Test
  void thePodOfANodeSetIsOnStandbyUntilSlurmLocksItsNode() {
    Map<String, String> none = Map.of();

    assertThat(slurm("sunk.coreweave.com/v1alpha1", "NodeSet", none, ""))
        .isEqualTo(Pod.Interruption.STANDBY);
    assertThat(slurm("sunk.coreweave.com/v1alpha1", "NodeSet", none, "false"))
        .isEqualTo(Pod.Interruption.STANDBY);
    for (String lock : new String[] {"pending", "locked", "locked_strict"}) {
      assertThat(slurm("sunk.coreweave.com/v1alpha1", "NodeSet", none, lock))
          .isEqualTo(Pod.Interruption.NONE);
    }
  }

  @Test
  void aPodWithTheNodeSetsLabelIsADaemonUnlessAnotherControllerOwnsIt() {
    Map<String, String> labels = Map.of("sunk.coreweave.com/nodeset", "h100");

    assertThat(slurm("", "", labels, "")).isEqualTo(Pod.Interruption.STANDBY);
    assertThat(slurm("apps/v1", "ReplicaSet", labels, "")).isEqualTo(Pod.Interruption.NONE);
    assertThat(slurm("", "", Map.of(), "")).isEqualTo(Pod.Interruption.NONE);
  }

  @Test
  void aNodeSetOfAnotherGroupIsAnOrdinaryController() {
    assertThat(slurm("slinky.slurm.net/v1beta1", "NodeSet", Map.of(), ""))
        .isEqualTo(Pod.Interruption.NONE);
  }

  @Test
  void thePodsOwnInterruptionLabelsTakePrecedence() {
    Map<String, String> labels = Map.of("qos.coreweave.cloud/interruptable", "true");

    assertThat(slurm("sunk.coreweave.com/v1alpha1", "NodeSet", labels, ""))
        .isEqualTo(Pod.Interruption.AT_ONCE);
  }

  @Test
  void otherControllersAreTheOwnersThemselves() {
    Map<String, String> labels =
        Map.of("pod-template-hash", "h", "jobset.sigs.k8s.io/jobset-name", "llm");

    assertThat(owner("apps/v1", "StatefulSet", "db-h", labels)).isEqualTo("StatefulSet db-h");
    assertThat(owner("apps/v1", "DaemonSet", "agent-h", labels)).isEqualTo("DaemonSet agent-h");
    assertThat(owner("", "", "", labels)).isEqualTo(" ");
  }
}
