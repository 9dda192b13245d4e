package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that waits while another one leads. */
@WithLocalCluster
class StandbyIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String ELSEWHERE = "nodepool-elsewhere";
  private static final List<String> LISTED =
      List.of("hosts", "nodepools", "nodes", "pods", "namespaces", "configmaps");

  private final Config config;
  private final KubernetesClient admin;
  private final PollingFleet fleet;

  StandbyIT(LocalCluster cluster, KubernetesClient admin) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
    this.fleet = new PollingFleet(admin);
  }

  @BeforeEach
  void prepare() {
    TestCluster.prepare(admin);
    fleet.start();
    // The cluster has one Lease, which operators of other tests have held.
    admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).delete();
    admin
        .resource(
            new LeaseBuilder()
                .withNewMetadata()
                .withName(Leadership.LEASE)
                .withNamespace(Leadership.NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withHolderIdentity("somebody-else")
                .withLeaseDurationSeconds(3600)
                .withAcquireTime(InstantSource.system().instant().atZone(ZoneOffset.UTC))
                .withRenewTime(InstantSource.system().instant().atZone(ZoneOffset.UTC))
                .endSpec()
                .build())
        .create();
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName("awaited").build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TestCluster.TYPE;
    spec.targetNodes = 2;
    pool.setSpec(spec);
    admin.resource(pool).create();
  }

  @AfterEach
  void cleanUp() {
    fleet.close();
    TestCluster.removePools(admin);
    admin.resources(HostResource.class).delete();
    admin.nodes().delete();
    admin.v1().events().inNamespace("default").delete();
    admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).delete();
  }

  private OperatorRuntime operator() {
    return operator(OperatorRuntime.NAMESPACE, "waiting");
  }

  private OperatorRuntime operator(String namespace, String identity) {
    return OperatorRuntime.start(
        config,
        new OperatorRuntime.Options(
            namespace,
            identity,
            InstanceCatalogue.bundled(),
            PlanSettings.DEFAULTS,
            ControlPlaneNamespaces.DEFAULTS,
            LoopSettings.DEFAULTS,
            InstantSource.system(),
            new OperatorRuntime.Reporting(new SimpleMeterRegistry(), why -> {})));
  }

  private void releaseTheLease() {
    ClientEdit.edited(
        admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE),
        lease -> lease.getSpec().setHolderIdentity(null));
  }

  @Test
  void aStandbyIsReadyWhenItHasListedOnceAndListsAgainBeforeItPlans() {
    try (OperatorRuntime waiting = operator()) {
      await().atMost(SOON).until(waiting::isReady);
      RequestCounts rehearsed = waiting.requests();
      assertThat(LISTED).allSatisfy(kind -> assertThat(rehearsed.of("list " + kind)).isPositive());
      assertThat(rehearsed.byKind().keySet()).allMatch(kind -> kind.matches("(list|watch|get) .*"));
      assertThat(waiting.isLeading()).isFalse();
      assertThat(waiting.isPlanning()).isFalse();
      assertThat(admin.resources(NodePool.class).withName("awaited").require().getFinalizers())
          .isEmpty();

      releaseTheLease();

      await().atMost(SOON).until(waiting::isPlanning);
      RequestCounts since = waiting.requests().since(rehearsed);
      assertThat(LISTED).allSatisfy(kind -> assertThat(since.of("list " + kind)).isPositive());
      await().atMost(SOON).until(() -> assignedHosts() == 2);
    }
  }

  private long assignedHosts() {
    return admin.resources(HostResource.class).list().getItems().stream()
        .filter(host -> host.getSpec().assignment != null)
        .count();
  }

  @Test
  void ofTwoOperatorsInDifferentNamespacesOneLeads() {
    releaseTheLease();
    admin
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(ELSEWHERE).endMetadata().build())
        .serverSideApply();
    OperatorRuntime elsewhere = operator(ELSEWHERE, "elsewhere");
    try (OperatorRuntime waiting = second(elsewhere)) {
      await().atMost(SOON).until(waiting::isReady);
      assertThat(waiting.isLeading()).isFalse();
      assertThat(elsewhere.isLeading()).isTrue();
      assertThat(waiting.requests().byKind().keySet())
          .allMatch(kind -> kind.matches("(list|watch|get) .*"));

      elsewhere.close();

      await().atMost(SOON).until(waiting::isPlanning);
      assertThat(elsewhere.isLeading()).isFalse();
    } finally {
      elsewhere.close();
      // It is labelled as one of the control plane's, which other tests on this cluster count.
      admin.namespaces().withName(ELSEWHERE).delete();
      await().atMost(SOON).until(() -> admin.namespaces().withName(ELSEWHERE).get() == null);
    }
  }

  /** Starts an operator when another one already plans. */
  private OperatorRuntime second(OperatorRuntime elsewhere) {
    await().atMost(SOON).until(elsewhere::isPlanning);
    return operator();
  }

  @Test
  void aStandbyThatIsStoppedDoesNotChangeTheLease() {
    OperatorRuntime waiting = operator();
    await().until(() -> waiting.requests().of("get leases") > 0);
    waiting.close();

    assertThat(
            admin
                .leases()
                .inNamespace(Leadership.NAMESPACE)
                .withName(Leadership.LEASE)
                .require()
                .getSpec()
                .getHolderIdentity())
        .isEqualTo("somebody-else");
    assertThat(waiting.requests().byKind().keySet())
        .allMatch(kind -> kind.matches("(list|watch|get) .*"));
  }
}
