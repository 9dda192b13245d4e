package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Jobs on simulated Nodes, run by the controllers and the scheduler of Kubernetes. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobsIT {
  private static final String TYPE = "turin-gp";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;
  private PoolUnderTest pool;

  JobsIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 1));
    centre.quotas.add(quota(TYPE, 1));
    fleet =
        new OperatedFleet(
            cluster, admin, PlanSettings.DEFAULTS.withDrainDeadline(Duration.ofSeconds(5)), centre);
  }

  @BeforeEach
  void grow() {
    pool = fleet.pool("jobs", TYPE, 1).isWell();
  }

  @AfterEach
  void leaveNothing() {
    admin.policy().v1().podDisruptionBudget().inNamespace("default").delete();
    admin.batch().v1().jobs().inNamespace("default").delete();
    eventually(() -> assertThat(admin.pods().inNamespace("default").list().getItems()).isEmpty());
    pool.delete().isGone();
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  /** A Job whose Pods run on the Nodes of the pool. */
  private static JobBuilder job(String name, String policy, int backOffLimit) {
    return new JobBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withBackoffLimit(backOffLimit)
        .withNewTemplate()
        .withNewSpec()
        .withRestartPolicy(policy)
        .addNewToleration()
        .withKey("is_cpu_compute")
        .withOperator("Exists")
        .endToleration()
        .addNewContainer()
        .withName("main")
        .withImage("example.com/job:1")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec();
  }

  private void exiting(String name, String policy, String exitCode, int backOffLimit) {
    Map<String, String> program =
        Map.of("fleet.nodepool.io/run-for", "1s", "fleet.nodepool.io/exit-code", exitCode);
    admin
        .resource(
            job(name, policy, backOffLimit)
                .editSpec()
                .editTemplate()
                .withNewMetadata()
                .withAnnotations(program)
                .endMetadata()
                .endTemplate()
                .endSpec()
                .build())
        .create();
  }

  /**
   * The Pod of a Job that no failure of another kind may end, and whose eviction a budget does not
   * allow.
   */
  private void ignoringDisruptions(String name) {
    admin
        .resource(
            job(name, "Never", 0)
                .editSpec()
                .withNewPodFailurePolicy()
                .addNewRule()
                .withAction("Ignore")
                .addNewOnPodCondition("True", "DisruptionTarget")
                .endRule()
                .endPodFailurePolicy()
                .editTemplate()
                .withNewMetadata()
                .addToLabels("app", name)
                .endMetadata()
                .editSpec()
                .withTerminationGracePeriodSeconds(2L)
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
    admin
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withMinAvailable(new IntOrString(1))
                .withNewSelector()
                .addToMatchLabels("app", name)
                .endSelector()
                .endSpec()
                .build())
        .create();
  }

  private Job stored(String name) {
    return admin.batch().v1().jobs().inNamespace("default").withName(name).require();
  }

  private void ends(String name, String condition, String reason) {
    eventually(() ->
        assertThat(stored(name).getStatus().getConditions())
            .filteredOn(each -> each.getStatus().equals("True"))
            .filteredOn(each -> each.getType().equals(condition))
            .extracting(JobCondition::getReason)
            .containsExactly(reason));
  }

  @Test
  void aJobCompletesWhenItsPodExitsWithZero() {
    exiting("well", "Never", "0", 0);

    ends("well", "Complete", "CompletionsReached");
    assertThat(stored("well").getStatus().getSucceeded()).isEqualTo(1);
  }

  @Test
  void aJobFailsOnceItsPodsFailedMoreOftenThanItsBackOffAllows() {
    exiting("broken", "Never", "3", 1);

    ends("broken", "Failed", "BackoffLimitExceeded");
    assertThat(stored("broken").getStatus().getFailed()).isEqualTo(2);
  }

  /** The Job controller keeps a Pod with its finalizer until its phase says how it ended. */
  @Test
  void aPodThatADrainDeletesIsNoFailureOfItsJobAndItsPoolEnds() {
    ignoringDisruptions("steady");
    eventually(() -> assertThat(stored("steady").getStatus().getReady()).isEqualTo(1));
    try (PodHistory pods = new PodHistory(admin)) {
      pool.strategy(NodePoolSpec.ScaleDownStrategy.PREFER_IDLE).delete();
      pool.isGone();
      assertThat(pods.disruptions("steady")).containsExactly("DeletionByNodePool");
    }
    assertThat(pool.events(EventReason.NODE_DRAINING_FORCE_DELETE)).isNotEmpty();
    eventually(() ->
        assertThat(admin.pods().inNamespace("default").withLabel("app", "steady").list().getItems())
            .singleElement()
            .extracting(replaced -> replaced.getSpec().getNodeName())
            .isNull());
    assertThat(stored("steady").getStatus().getFailed()).isIn(null, 0);
    assertThat(stored("steady").getStatus().getConditions()).isNullOrEmpty();
  }

  @Test
  void aPodThatRestartsItsContainersCountsForTheBackOffToo() {
    exiting("restarting", "OnFailure", "3", 1);

    ends("restarting", "Failed", "BackoffLimitExceeded");
  }
}
