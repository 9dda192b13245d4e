package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.operator.ActiveOperator;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A client that deletes a pool without Nodes and creates another one under its name, as often as it
 * is refused, on a real API server.
 */
@WithLocalCluster
class ReplacedPoolIT {
  private static final String NAME = "replaced";
  private static final String EVENTS = "/events";
  private static final int CONFLICT = 409;

  private final Config config;
  private final KubernetesClient admin;
  private final RequestLog log = new RequestLog(InstantSource.system());
  private final List<AutoCloseable> parts = new ArrayList<>();

  ReplacedPoolIT(LocalCluster cluster, KubernetesClient admin) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
  }

  @BeforeEach
  void start() {
    TestCluster.prepare(admin);
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry(), log);
    KubernetesClient client = Clients.forRequests(config, meter);
    KubernetesClient watching = Clients.forWatches(config, meter);
    ActiveOperator operator =
        new ActiveOperator(client, watching, WriteGate.ALWAYS_OPEN, options(), why -> {});
    parts.addAll(List.of(operator, client, watching));
    operator.start();
  }

  private static OperatorRuntime.Options options() {
    return new OperatorRuntime.Options(
        OperatorRuntime.NAMESPACE,
        NAME,
        InstanceCatalogue.bundled(),
        PlanSettings.DEFAULTS,
        ControlPlaneNamespaces.DEFAULTS,
        LoopSettings.DEFAULTS,
        InstantSource.system(),
        new OperatorRuntime.Reporting(new SimpleMeterRegistry(), why -> {}));
  }

  @AfterEach
  void end() throws Exception {
    admin.resources(NodePool.class).withName(NAME).delete();
    eventually(() -> assertThat(stored()).isNull());
    for (AutoCloseable part : parts) {
      part.close();
    }
    admin.v1().events().inNamespace("default").delete();
  }

  private NodePool stored() {
    return admin.resources(NodePool.class).withName(NAME).get();
  }

  private NodePool create() {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(NAME).build());
    pool.setSpec(new NodePoolSpec());
    pool.getSpec().instanceType = "gd-8xh100ib-i128";
    pool.getSpec().targetNodes = 0;
    return admin.resource(pool).create();
  }

  /**
   * Creates it as soon as the name is free. Returns what the operator had sent since this instant
   * when the name was: what it sends next is about the new pool.
   */
  private List<String> createWithRetries(Instant from) {
    await().until(() -> !aboutPools(from).isEmpty());
    while (true) {
      List<String> sent = aboutPools(from);
      try {
        create();
        return sent;
      } catch (KubernetesClientException e) {
        assertThat(e.getCode()).isEqualTo(CONFLICT);
        await().pollDelay(Duration.ofMillis(250)).until(() -> true);
      }
    }
  }

  private boolean isSettled() {
    boolean atTarget =
        stored().getStatus() != null
            && stored().getStatus().conditions.stream()
                .anyMatch(each -> each.type.equals("AtTarget") && each.status.equals("True"));
    return atTarget
        && admin.v1().events().inNamespace("default").list().getItems().stream()
            .anyMatch(event -> event.getReason().equals("CWNodePoolCreated"));
  }

  @Test
  void theNameIsFreeAtOnceForAFewRequestsOfTheOperator() {
    create();
    eventually(() -> assertThat(isSettled()).isTrue());
    Instant before = Instant.now();
    String first = stored().getMetadata().getUid();

    admin.resources(NodePool.class).withName(NAME).delete();
    List<String> sent = createWithRetries(before);

    assertThat(stored().getMetadata().getUid()).isNotEqualTo(first);
    assertThat(sent).isNotEmpty().hasSizeLessThanOrEqualTo(5);
  }

  /** The operator's requests about the pool, its Events included. */
  private List<String> aboutPools(Instant from) {
    return log.since(from).stream()
        .map(sent -> sent.verb() + " " + sent.path())
        .filter(request -> request.contains("/nodepools/") || request.contains(EVENTS))
        .toList();
  }
}
