package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.ActiveOperator;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.model.node.Disruption;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The number of requests about one object in a minute, on a real API server, while other clients
 * keep a Node that the operator deletes, deny its writes, and undo them.
 */
@WithLocalCluster
class BoundedRequestsIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final String NAME = "bounded-it";
  private static final String FINALIZER = "example.com/keep";
  private static final Duration FIRST_SECONDS = Duration.ofSeconds(10);
  private static final Duration LONG = Duration.ofMinutes(2);

  /** This many requests with one cause take half a minute, if their intervals grow as specified. */
  private static final int REPEATED = 8;

  private static final Duration SHORTEST = Duration.ofSeconds(31);
  private static final int MOST_IN_A_MINUTE = 10;

  private final Config config;
  private final KubernetesClient admin;
  private final Workloads work;
  private final RequestLog log = new RequestLog(InstantSource.system());
  private final List<AutoCloseable> parts = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();

  BoundedRequestsIT(LocalCluster cluster, KubernetesClient admin) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeEach
  void start() {
    TestCluster.prepare(admin);
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 3));
    centre.quotas.add(quota(TYPE, 3));
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName(NAME).build());
    fleet.setSpec(centre);
    admin.resource(fleet).create();
    parts.add(
        SimulatedFleetController.start(
            config,
            new SimulatedFleetController.Settings(
                NAME, OperatorRuntime.NAMESPACE, 1, InstantSource.system())));
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry(), log);
    KubernetesClient client = Clients.forRequests(config, meter);
    KubernetesClient watching = Clients.forWatches(config, meter);
    ActiveOperator operator =
        new ActiveOperator(client, watching, WriteGate.ALWAYS_OPEN, options(), ends::add);
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
    admin.admissionRegistration().v1().validatingAdmissionPolicyBindings().withName(NAME).delete();
    admin.admissionRegistration().v1().validatingAdmissionPolicies().withName(NAME).delete();
    for (AutoCloseable part : parts) {
      part.close();
    }
    work.delete();
    TestCluster.removePools(admin);
    admin.resources(SimulatedFleet.class).withName(NAME).delete();
    admin.resources(HostResource.class).delete();
    admin.nodes().list().getItems().forEach(node -> finalizers(ObjectFacts.name(node), "[]"));
    admin.nodes().delete();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    admin.v1().events().inNamespace("default").delete();
    assertThat(ends).isEmpty();
  }

  @Test
  void noObjectGetsMoreThanTenRequestsAMinute() {
    String kept = grown("kept");
    finalizers(kept, "[\"%s\"]".formatted(FINALIZER));
    String drained = grown("uncordoned");
    work.deployment("bounded-work", "uncordoned", 1);
    work.neverEvict("bounded-work");
    denyStatusesOfNodesOf("denied");
    Instant began = Instant.now();
    pool("denied", 1);
    admin.resources(NodePool.class).withName("kept").delete();
    uncordonWhileDraining(drained);
    target("uncordoned", 0);

    eventually(() -> {
      Node node = admin.nodes().withName(kept).require();
      assertThat(NodeConversion.node(node).orElseThrow().removing())
          .get()
          .satisfies(says -> {
            assertThat(says.reason()).isEqualTo(NodeRemovalReason.AWAITING_FINALIZERS);
            assertThat(says.message()).contains(FINALIZER);
          });
      assertThat(NodeConversion.node(node).orElseThrow().metadata())
          .satisfies(shows -> {
            assertThat(shows.label(NodeLabels.STATE)).isEqualTo("zap");
            assertThat(shows.label(NodeLabels.RESERVED)).isEqualTo("zap");
            assertThat(shows.taints()).contains(Reservation.taint("zap", "zap").orElseThrow());
          });
    });
    String cordons = ApiPaths.node(drained);
    String registrations = ApiPaths.node(awaitNode("denied")) + "/status";
    await()
        .atMost(LONG)
        .until(() ->
            log.times("patch", cordons, began).size() > REPEATED
                && log.times("patch", registrations, began).size() >= REPEATED);

    assertThat(span(log.times("patch", registrations, began))).isGreaterThan(SHORTEST);
    assertThat(span(log.times("patch", cordons, began))).isGreaterThan(SHORTEST);
    assertThat(log.times("delete", ApiPaths.node(kept), began)).hasSize(1);
    assertThat(log.busiestMinutes(began.plus(FIRST_SECONDS)))
        .allSatisfy((path, most) -> assertThat(most).isLessThanOrEqualTo(MOST_IN_A_MINUTE));
    assertThat(admin.v1().events().inNamespace("default").list().getItems())
        .filteredOn(event -> event.getReason().equals(EventReason.CHANGE_REVERTED.word()))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getInvolvedObject().getName()).isEqualTo(drained);
          assertThat(event.getMessage()).contains("the cordon");
        });
  }

  private static Duration span(List<Instant> times) {
    return Duration.between(times.getFirst(), times.getLast());
  }

  private void pool(String name, int target) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TYPE;
    spec.targetNodes = target;
    spec.lifecycle.scaleDownStrategy = NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
    pool.setSpec(spec);
    admin.resource(pool).create();
  }

  private void target(String pool, int target) {
    ClientEdit.edited(
        admin.resources(NodePool.class).withName(pool),
        stored -> stored.getSpec().targetNodes = target);
  }

  /** Creates a pool with one registered Node. Returns the Node's name. */
  private String grown(String pool) {
    pool(pool, 1);
    String node = awaitNode(pool);
    eventually(() ->
        assertThat(NodeConversion.node(admin.nodes().withName(node).require()))
            .get()
            .matches(io.nodepool.model.node.Node::registered));
    return node;
  }

  private String awaitNode(String pool) {
    return await()
        .atMost(LONG)
        .until(
            () ->
                admin.nodes().withLabel(NodeLabels.NODE_POOL.key(), pool).list().getItems().stream()
                    .map(ObjectFacts::name)
                    .findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  private void finalizers(String node, String finalizers) {
    admin
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"finalizers\": %s}}".formatted(finalizers));
  }

  /** Runs another controller, which uncordons the Node. */
  private void uncordonWhileDraining(String name) {
    SharedIndexInformer<Node> informer = admin.nodes().withName(name).inform(new Uncordoning());
    parts.addFirst(informer::stop);
  }

  private final class Uncordoning implements ResourceEventHandler<Node> {
    @Override
    public void onAdd(Node node) {}

    @Override
    public void onUpdate(Node before, Node node) {
      NodeConversion.node(node)
          .filter(seen -> seen.cordoned())
          .filter(seen -> seen.disruption().orElse(null) instanceof Disruption.Committed)
          .ifPresent(seen ->
              admin
                  .nodes()
                  .withName(seen.name())
                  .patch(
                      PatchContext.of(PatchType.JSON_MERGE),
                      "{\"spec\": {\"unschedulable\": null}}"));
    }

    @Override
    public void onDelete(Node node, boolean finalStateUnknown) {}
  }

  /**
   * Denies every change of the status of a pool's Nodes, and waits until the policy is in force.
   */
  private void denyStatusesOfNodesOf(String pool) {
    admin
        .resource(
            new ValidatingAdmissionPolicyBuilder()
                .withNewMetadata()
                .withName(NAME)
                .endMetadata()
                .withNewSpec()
                .withFailurePolicy("Fail")
                .withNewMatchConstraints()
                .addNewResourceRule()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("UPDATE")
                .withResources("nodes/status")
                .endResourceRule()
                .endMatchConstraints()
                .addNewMatchCondition()
                .withName("pool")
                .withExpression(
                    "'%1$s' in object.metadata.labels && object.metadata.labels['%1$s'] == '%2$s'"
                        .formatted(NodeLabels.NODE_POOL.key(), pool))
                .endMatchCondition()
                .addNewValidation()
                .withExpression("false")
                .withReason("Forbidden")
                .withMessage("denied for the test")
                .endValidation()
                .endSpec()
                .build())
        .create();
    admin
        .resource(
            new ValidatingAdmissionPolicyBindingBuilder()
                .withNewMetadata()
                .withName(NAME)
                .endMetadata()
                .withNewSpec()
                .withPolicyName(NAME)
                .withValidationActions("Deny")
                .endSpec()
                .build())
        .create();
    awaitDenial(pool);
  }

  private void awaitDenial(String pool) {
    Node probe = new Node();
    probe.setMetadata(
        new ObjectMetaBuilder()
            .withName("bounded-probe")
            .addToLabels(NodeLabels.NODE_POOL.key(), pool)
            .build());
    admin.resource(probe).create();
    await().atMost(LONG).until(() -> isDenied("bounded-probe"));
    admin.nodes().withName("bounded-probe").delete();
  }

  private boolean isDenied(String node) {
    try {
      admin
          .nodes()
          .withName(node)
          .subresource("status")
          .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"phase\": \"Running\"}}");
      return false;
    } catch (KubernetesClientException refused) {
      return refused.getCode() == 403;
    }
  }
}
