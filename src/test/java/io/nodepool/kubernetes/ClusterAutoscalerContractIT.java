package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.deploy.ClusterAutoscalerManifest;
import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The cluster-autoscaler as a client (contract §7, T21, T22): its provider's requests on a real API
 * server, from an account with only the permissions of the example manifest.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterAutoscalerContractIT {
  private static final String QUICK = "gd-8xh100ib-i128";
  private static final String SLOW = "turin-gp";
  private static final String UNSIZED = "gd-8xl40s-i128";
  private static final String MARKED = "rtxp6000-8x";
  private static final String GOING = "cd-gp-a192-genoa";
  private static final String LABELLED = "cd-gp-i64-erapids";
  private static final String BUSY = "b200-8x";
  private static final String SHORT = "gd-8xa100-i128";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;
  private CoreWeaveProvider provider;
  private List<HasMetadata> account;

  ClusterAutoscalerContractIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.addAll(
        List.of(
            rack("quick", QUICK, 3),
            rack("slow", SLOW, 3),
            rack("unsized", UNSIZED, 1),
            rack("marked", MARKED, 2),
            rack("going", GOING, 3),
            rack("labelled", LABELLED, 2),
            rack("busy", BUSY, 2),
            rack("short", SHORT, 2)));
    centre.racks.forEach(rack -> centre.quotas.add(quota(rack.instanceType, 8)));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
    account =
        ClusterAutoscalerManifest.objects().stream()
            .filter(object -> !object.get("kind").asText().equals("Deployment"))
            .map(this::typed)
            .toList();
    account.forEach(object -> admin.resource(object).serverSideApply());
    provider = new CoreWeaveProvider(cluster);
  }

  private HasMetadata typed(JsonNode object) {
    return admin.getKubernetesSerialization().unmarshal(object.toString());
  }

  @AfterAll
  void end() {
    provider.close();
    account.forEach(object -> admin.resource(object).delete());
    fleet.close();
  }

  @Test
  void theWholeManifestIsAcceptedVerbatim() {
    ClusterAutoscalerManifest.objects()
        .forEach(object ->
            admin
                .resource(typed(object))
                .dryRun()
                .fieldValidation(FieldValidateable.Validation.STRICT)
                .forceConflicts()
                .serverSideApply());
  }

  @Test
  void aPoolGrowsFromZeroAndItsNodesAreFoundByItsUid() {
    PoolUnderTest pool = autoscaled("from-zero", QUICK, 0, 3).isWell();
    CoreWeaveProvider.Group group = provider.group("from-zero");
    assertThat(group.targetSize()).isZero();
    assertThat(group.nodes()).isEmpty();

    group.increaseSize(2);

    pool.isWell().emitted(EventReason.NODE_POOL_SCALED_UP, "its target of 2 Nodes");
    assertThat(group.nodes())
        .extracting(ObjectFacts::name)
        .containsExactlyInAnyOrderElementsOf(pool.nodes().toList())
        .hasSize(2);
    assertThat(provider.group("from-zero").targetSize()).isEqualTo(2);
  }

  @Test
  void onlyPoolsThatEnableAutoscalingAreScaled() {
    PoolUnderTest pool = fleet.pool("unsized", UNSIZED, 1).isWell();

    assertThat(provider.groups())
        .extracting(CoreWeaveProvider.Group::name)
        .doesNotContain("unsized");
    pool.change(stored -> {
      stored.getSpec().autoscaling = true;
      stored.getSpec().maxNodes = 1;
    });
    assertThat(provider.group("unsized").targetSize()).isEqualTo(1);
  }

  @Test
  void aPoolMayBeBelowItsMinimumUntilItIsRaised() {
    autoscaled("below-least", SLOW, 0, 1)
        .change(pool -> pool.getSpec().minNodes = 1)
        .isWell()
        .neverEmitted(EventReason.NODE_REQUEST_QUEUED);
    assertThat(provider.group("below-least").targetSize()).isZero();
    admin.resources(NodePool.class).withName("below-least").delete();
  }

  @Test
  void nodesThatHaveNotRegisteredAreGivenUpAndOthersAreKept() {
    String late = fleet.machines(SLOW).getLast();
    fleet.change(centre -> {
      centre.mishaps = Objects.requireNonNullElseGet(centre.mishaps, FleetMishaps::new);
      centre.mishaps.neverBoot.add(late);
    });
    PoolUnderTest pool = autoscaled("given-up", SLOW, 0, 8);
    CoreWeaveProvider.Group group = provider.group("given-up");
    group.increaseSize(5);
    counts("given-up", 2, 1, 2);
    Map<String, String> come = nodes(group);

    group.decreaseTargetSize(3);

    counts("given-up", 2, 0, 0);
    pool.isWell()
        .reports(CapacityReason.QUEUED_AWAITING_CAPACITY, "2 Nodes of type " + SLOW)
        .neverEmitted(EventReason.NODE_POOL_REMOVE_NODES);
    OperatedFleet.eventually(() -> assertThat(fleet.host(late).getSpec().assignment).isNull());
    assertThat(nodes(group)).isEqualTo(come);
    assertThat(group.nodes()).noneMatch(ClusterAutoscalerContractIT::isCordoned);
  }

  /** Name and UID of each Node. */
  private static Map<String, String> nodes(CoreWeaveProvider.Group group) {
    return group.nodes().stream().collect(Collectors.toMap(ObjectFacts::name, ObjectFacts::uid));
  }

  @Test
  void itsMarksOnNodesRemainUnchanged() {
    PoolUnderTest pool = autoscaled("marked", MARKED, 2, 2).isWell();
    List<String> names = pool.nodes().sorted().toList();

    provider.markCandidate(names.getFirst());
    provider.markToBeDeleted(names.getLast());
    pool.change(stored -> stored.getSpec().nodeLabels.put("team", "blue"));

    // The operator writes the Nodes' labels and does not change their taints.
    OperatedFleet.eventually(() ->
        assertThat(provider.group("marked").nodes())
            .allMatch(node -> "blue".equals(node.getMetadata().getLabels().get("team"))));
    Node candidate = node(names.getFirst());
    assertThat(taints(candidate)).contains(NodeTaints.AUTOSCALER_CANDIDATE.key());
    assertThat(isCordoned(candidate)).isFalse();
    Node deleted = node(names.getLast());
    assertThat(taints(deleted)).contains(NodeTaints.AUTOSCALER_DELETION.key());
    assertThat(isCordoned(deleted)).isTrue();
    pool.isWell();
  }

  @Test
  void onlyTheNodesThatItDrainedAreRemoved() {
    PoolUnderTest pool = autoscaled("going", GOING, 3, 3).isWell();
    List<String> names = pool.nodes().sorted().toList();
    provider.markCandidate(names.getFirst());
    provider.markToBeDeleted(names.get(1));

    provider.group("going").deleteNodes(List.of(names.get(1)));

    pool.isWell().emitted(EventReason.NODE_POOL_SCALED_DOWN, "its target of 2 Nodes");
    assertThat(pool.nodes()).containsExactlyInAnyOrder(names.getFirst(), names.getLast());
    assertThat(isCordoned(node(names.getFirst()))).isFalse();

    names.stream().filter(name -> !name.equals(names.get(1))).forEach(provider::markToBeDeleted);
    provider.group("going").deleteNodes(List.of(names.getFirst(), names.getLast()));

    OperatedFleet.eventually(() -> assertThat(provider.group("going").nodes()).isEmpty());
    counts("going", 0, 0, 0);
  }

  @Test
  void theLabelOfOlderReleasesChoosesANodeAsWell() {
    PoolUnderTest pool = autoscaled("labelled", LABELLED, 2, 2).isWell();
    List<String> names = pool.nodes().sorted().toList();
    provider.markCandidate(names.getFirst());
    provider.labelForRemoval(names.getLast());

    provider.group("labelled").deleteNodes(List.of(names.getLast()));

    pool.isWell();
    assertThat(pool.nodes()).containsExactly(names.getFirst());
  }

  @Test
  void aChosenNodeThatBecameBusyIsAwaitedAndNotReplacedByAnother() {
    PoolUnderTest pool = autoscaled("late-work", BUSY, 2, 2).isWell();
    List<String> names = pool.nodes().sorted().toList();
    Pod work = work(names.getLast());
    provider.markToBeDeleted(names.getLast());

    provider.group("late-work").deleteNodes(List.of(names.getLast()));

    pool.reports(AtTargetReason.OVER_TARGET, "1 more than its target of 1", names.getLast());
    admin.resource(work).withGracePeriod(0).delete();
    pool.isWell();
    assertThat(pool.nodes()).containsExactly(names.getFirst());
  }

  /** From release 1.36 on it reverts a growth completely if that was not completed. */
  @Test
  void busyNodesRemainWhenMoreIsGivenUpThanIsPending() {
    PoolUnderTest pool = autoscaled("short", SHORT, 0, 4);
    CoreWeaveProvider.Group group = provider.group("short");
    group.increaseSize(4);
    counts("short", 2, 0, 2);
    Map<String, String> come = nodes(group);
    List<Pod> work = come.keySet().stream().map(this::work).toList();

    group.decreaseTargetSize(4);

    pool.reports(AtTargetReason.OVER_TARGET, "2 more than its target of 0");
    counts("short", 2, 0, 0);
    assertThat(group.nodes()).noneMatch(ClusterAutoscalerContractIT::isCordoned);
    group.increaseSize(2);
    pool.isWell().neverEmitted(EventReason.NODE_POOL_REMOVE_NODES);
    assertThat(nodes(group)).isEqualTo(come);
    work.forEach(pod -> admin.resource(pod).withGracePeriod(0).delete());
  }

  /** Binds a tenant's Pod to a Node, in place of a scheduler. */
  private Pod work(String node) {
    Pod pod =
        admin
            .resource(
                new PodBuilder()
                    .withNewMetadata()
                    .withName("work-on-" + node)
                    .withNamespace("default")
                    .endMetadata()
                    .withNewSpec()
                    .withNodeName(node)
                    .addNewContainer()
                    .withName("main")
                    .withImage("registry.example/none")
                    .endContainer()
                    .endSpec()
                    .build())
            .create();
    OperatedFleet.eventually(() ->
        assertThat(node(node).getStatus().getConditions())
            .anyMatch(
                each -> each.getType().equals("CWActive") && each.getStatus().equals("True")));
    return pod;
  }

  private Node node(String name) {
    return provider.client().nodes().withName(name).require();
  }

  private static List<String> taints(Node node) {
    return node.getSpec().getTaints().stream().map(Taint::getKey).toList();
  }

  private static boolean isCordoned(Node node) {
    return Boolean.TRUE.equals(node.getSpec().getUnschedulable());
  }

  @Test
  void itHasNoOtherPermissions() {
    autoscaled("rights", QUICK, 0, 0).isWell();
    KubernetesClient client = provider.client();
    isForbidden(() -> client.nodes().withName("any").delete());
    isForbidden(() -> client.resources(NodePool.class).withName("rights").delete());
    isForbidden(() ->
        client
            .resources(NodePool.class)
            .withName("rights")
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":{}}"));
    isForbidden(() -> client.pods().inNamespace("default").withName("any").delete());
    isForbidden(() -> client.secrets().inNamespace("default").list());
    isForbidden(() -> client.configMaps().inNamespace("default").list());
  }

  private static void isForbidden(ThrowingCallable request) {
    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(request)
        .extracting(KubernetesClientException::getCode)
        .isEqualTo(403);
  }

  private PoolUnderTest autoscaled(String name, String type, int target, int most) {
    return fleet
        .pool(name, type, target)
        .change(pool -> {
          pool.getSpec().autoscaling = true;
          pool.getSpec().maxNodes = most;
        });
  }

  private void counts(String name, int current, int inProgress, int queued) {
    OperatedFleet.eventually(() -> {
      NodePoolStatus status = admin.resources(NodePool.class).withName(name).require().getStatus();
      assertThat(status).isNotNull();
      assertThat(List.of(status.currentNodes, status.inProgress, status.queuedNodes))
          .as("current, in progress, queued")
          .containsExactly(current, inProgress, queued);
    });
  }
}
