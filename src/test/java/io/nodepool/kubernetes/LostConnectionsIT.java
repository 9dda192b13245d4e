package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static io.nodepool.kubernetes.api.NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.operator.ActiveOperator;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Growth, a drain and busy Nodes while the operator receives nothing on watches that appear open,
 * and while an unreachable webhook refuses its writes.
 */
@WithLocalCluster
class LostConnectionsIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 10;
  private static final String WEBHOOK = "unreachable.example.com";
  private static final Duration LONG = Duration.ofMinutes(2);

  /** This many attempts of one write take longer than half a minute, if their intervals grow. */
  private static final int TRIES = 6;

  private static final int MOST_IN_A_MINUTE = 10;

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private final RequestLog requests = new RequestLog(InstantSource.system());
  private FaultyProxy proxy;
  private OperatedFleet fleet;

  LostConnectionsIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeEach
  void start() throws IOException {
    proxy = new FaultyProxy(cluster, FaultyProxy.Faults.NONE);
    SimulatedFleetSpec centre = OperatedFleet.centre("2s", "4s");
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre, this::operator);
  }

  private OperatedFleet.RunningOperator operator(OperatorRuntime.Options options) {
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry(), requests);
    KubernetesClient client = Clients.forWatches(proxy.config(), meter, Duration.ofSeconds(3));
    ActiveOperator operator =
        new ActiveOperator(
            client, client, WriteGate.ALWAYS_OPEN, options, why -> options.ended().accept(why));
    operator.start();
    return new OperatedFleet.RunningOperator() {
      @Override
      public boolean isPlanning() {
        return operator.isReady();
      }

      @Override
      public void close() {
        operator.close();
        client.close();
      }
    };
  }

  @AfterEach
  void end() throws IOException {
    removeWebhook();
    work.delete();
    fleet.close();
    proxy.close();
  }

  private void removeWebhook() {
    admin.admissionRegistration().v1().validatingWebhookConfigurations().withName(WEBHOOK).delete();
  }

  @Test
  void watchesWhosePeerIsLostDelayNothingForLong() {
    PoolUnderTest busy = fleet.pool("busy", TYPE, 2).isWell();
    List<String> working = work.deployment("busy-work", "busy", 2);
    PoolUnderTest drained = fleet.pool("drained", TYPE, 2).strategy(PREFER_IDLE);
    eventually(() -> assertThat(fleet.heldBy("drained")).isNotEmpty());
    assertThat(proxy.loseOpenWatches()).isGreaterThan(5);
    drained.isWell();
    work.deployment("drained-work", "drained", 2);
    try (NodeHistory history = new NodeHistory(admin);
        PodHistory pods = new PodHistory(admin)) {
      assertThat(proxy.loseOpenWatches()).isGreaterThan(5);
      busy.target(0);
      drained.target(0);
      eventually(() -> assertThat(pods.evicted("drained-work")).isNotEmpty());
      assertThat(proxy.loseOpenWatches()).isGreaterThan(5);

      drained.hasMet(0);
      assertThat(pods.evicted("drained-work")).hasSize(2);
      assertThat(busy.nodes()).containsExactlyInAnyOrderElementsOf(working);
      history.assertUntouched(working);
    }
  }

  @Test
  void aWebhookThatFailsClosedBlocksOnlyWhileItFails() {
    PoolUnderTest busy = fleet.pool("busy", TYPE, 2).isWell();
    List<String> working = work.deployment("busy-work", "busy", 2);
    PoolUnderTest drained = fleet.pool("drained", TYPE, 2).strategy(PREFER_IDLE).isWell();
    String node = work.deployment("drained-work", "drained", 1).getFirst();
    try (NodeHistory history = new NodeHistory(admin);
        PodHistory pods = new PodHistory(admin)) {
      refuseWrites(working.getFirst());
      Instant began = Instant.now();
      busy.target(0);
      drained.target(0);
      PoolUnderTest growing = fleet.pool("growing", TYPE, 3);
      await()
          .atMost(LONG)
          .until(() -> requests.times("patch", ApiPaths.node(node), began).size() >= TRIES);
      assertThat(pods.evicted("drained-work")).isEmpty();
      assertThat(drained.nodes()).hasSize(2);
      assertThat(requests.busiestMinutes(began.plusSeconds(10)))
          .allSatisfy((path, most) -> {
            if (path.contains("/nodes/") || path.contains("/hosts/")) {
              assertThat(most).isLessThanOrEqualTo(MOST_IN_A_MINUTE);
            }
          });

      removeWebhook();
      await().atMost(LONG).untilAsserted(() -> assertThat(drained.nodes()).isEmpty());
      await().atMost(LONG).untilAsserted(() -> assertThat(growing.nodes()).hasSize(3));
      drained.hasMet(0);
      growing.isWell();
      assertThat(pods.evicted("drained-work")).hasSize(1);
      assertThat(drained.count(EventReason.NODE_DELETED)).isEqualTo(2);
      assertThat(busy.nodes()).containsExactlyInAnyOrderElementsOf(working);
      history.assertUntouched(working);
    }
  }

  /** Installs a webhook for all writes of the operator, at an address where nothing listens. */
  private void refuseWrites(String probe) {
    admin
        .resource(
            new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(WEBHOOK)
                .endMetadata()
                .addNewWebhook()
                .withName(WEBHOOK)
                .withFailurePolicy("Fail")
                .withSideEffects("None")
                .withAdmissionReviewVersions("v1")
                .withTimeoutSeconds(1)
                .withNewClientConfig()
                .withUrl("https://127.0.0.1:1/")
                .endClientConfig()
                .addNewRule()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("UPDATE", "DELETE")
                .withResources("nodes")
                .endRule()
                .addNewRule()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("pods/eviction")
                .endRule()
                .addNewRule()
                .withApiGroups("fleet.nodepool.io")
                .withApiVersions("*")
                .withOperations("UPDATE")
                .withResources("hosts")
                .endRule()
                .endWebhook()
                .build())
        .create();
    await().atMost(LONG).until(() -> isRefused(probe));
  }

  private boolean isRefused(String node) {
    try {
      admin
          .nodes()
          .withName(node)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"metadata\": {\"annotations\": {\"example.com/probe\": \"\"}}}");
      return false;
    } catch (KubernetesClientException refused) {
      return refused.getCode() == 500;
    }
  }
}
