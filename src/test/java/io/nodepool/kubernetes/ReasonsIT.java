package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.ZONE;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.gitops.HealthChecks;
import io.nodepool.gitops.RecordedPools;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.simulated.cluster.node.SampleNodes;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * Every reason of Validated, Capacity, Quota and AtTarget, reached on a real API server with its
 * Event. Once its cause is removed, the pool recovers by itself. Each scenario has its own pools,
 * and its own instance type if machines or quota matter.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ReasonsIT {
  private static final String PLAIN = "gd-8xh100ib-i128";
  private static final String IN_RACKS = "gb200-4x";
  private static final String ELSEWHERE = "gd-8xa100-i128";
  private static final String SHORT_OF_QUOTA = "gd-8xh200ib-i128";
  private static final String WITHOUT_QUOTA = "gd-8xl40-i128";
  private static final String QUEUED = "gd-8xl40s-i128";
  private static final String UNQUEUED = "rtxp6000-8x";
  private static final String IN_TWO_PLACES = "turin-gp";

  /** Reasons that no scenario reaches, and why. */
  private static final Map<PoolReason, String> NOT_REACHED =
      Map.of(
          AtTargetReason.INTERNAL_ERROR,
          "allowed by decision D3; Nodes are counted from what is watched, which cannot fail");

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;

  ReasonsIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.addAll(
        List.of(
            rack("plain", PLAIN, 12),
            rack("nvl", IN_RACKS, 18),
            rack("small", SHORT_OF_QUOTA, 2),
            rack("unset", WITHOUT_QUOTA, 1),
            rack("queued", QUEUED, 2),
            rack("unqueued", UNQUEUED, 2),
            rack("far", IN_TWO_PLACES, 2),
            rack("near", IN_TWO_PLACES, 1)));
    centre.quotas.addAll(
        List.of(
            quota(PLAIN, 12),
            quota(IN_RACKS, 18),
            quota(ELSEWHERE, 10),
            quota(SHORT_OF_QUOTA, 1),
            quota(QUEUED, 10),
            quota(UNQUEUED, 10),
            quota(IN_TWO_PLACES, 10)));
    centre.unqueuedInstanceTypes.add(UNQUEUED);
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  @Test
  void aTypeThatDoesNotExistIsInvalidUntilThePoolIsRecreated() {
    PoolUnderTest misspelt =
        fleet
            .pool("misspelt", "gd-8xh100ib-i129", 1)
            .reports(
                ValidatedReason.INVALID,
                "Instance type gd-8xh100ib-i129 does not exist. Did you mean gd-8xh100ib-i128?")
            .reports(
                CapacityReason.NOT_CHECKED,
                "The capacity is checked once the spec of the NodePool is valid.")
            .reports(
                QuotaReason.NOT_CHECKED,
                "The quota is checked once the spec of the NodePool is valid.")
            .emitted(EventReason.INVALID_INSTANCE_TYPE, "gd-8xh100ib-i129 does not exist");

    misspelt.delete().isGone();
    fleet.pool("misspelt", PLAIN, 1).isWell().neverEmitted(EventReason.INVALID_INSTANCE_TYPE);
  }

  @Test
  void aTypeThatIsNotInTheZoneIsInvalidUntilItIs() {
    PoolUnderTest pool =
        fleet
            .pool("elsewhere", ELSEWHERE, 1)
            .reports(
                ValidatedReason.INVALID,
                "Instance type %s is not available in zone %s; available are"
                    .formatted(ELSEWHERE, ZONE))
            .emitted(EventReason.INSTANCE_TYPE_NOT_IN_ZONE, ELSEWHERE)
            .neverEmitted(EventReason.INVALID_INSTANCE_TYPE);

    fleet.change(centre -> centre.racks.add(rack("new", ELSEWHERE, 1)));
    pool.isWell();
  }

  @Test
  void aSizeThatIsNotWholeRacksIsInvalidUntilItIs() {
    fleet
        .pool("half-a-rack", IN_RACKS, 17)
        .reports(
            ValidatedReason.INVALID,
            "whole racks of 18 Nodes; targetNodes is 17, right would be 0 or 18.")
        .neverEmitted(EventReason.NODE_REQUEST_QUEUED)
        .target(18)
        .isWell();
  }

  @Test
  void anAffinityThatCannotBeReadOrMetIsInvalidUntilItIsRemoved() {
    fleet
        .pool("choosy", PLAIN, 1, "node.coreweave.cloud/rack in (")
        .reports(
            ValidatedReason.INVALID,
            "Annotation nodepool.io/node-affinity cannot be read",
            "is no requirement")
        .affinity(NodeLabels.ZONE.key() + "=NOWHERE-01A")
        .reports(
            ValidatedReason.INVALID,
            "Annotation nodepool.io/node-affinity admits no machine",
            "of this pool's machines is " + ZONE)
        .neverEmitted(EventReason.NODE_REQUEST_QUEUED)
        .withoutAffinity()
        .isWell();
  }

  @Test
  void growthBeyondTheQuotaWaitsCompletelyUntilTheQuotaIsRaised() {
    PoolUnderTest pool =
        fleet
            .pool("over-quota", SHORT_OF_QUOTA, 2)
            .reports(
                QuotaReason.OVER,
                "pushes you over quota for %s in %s. It would take 2 of 1 Nodes."
                    .formatted(SHORT_OF_QUOTA, ZONE))
            .emitted(EventReason.OVER_QUOTA, SHORT_OF_QUOTA)
            .reports(AtTargetReason.UNDER_TARGET, "0 of 2 nodes: 0 in progress, 0 queued")
            .neverEmitted(EventReason.NODE_REQUEST_QUEUED);

    setQuota(SHORT_OF_QUOTA, 2);
    pool.isWell();
  }

  @Test
  void aTypeWithoutAQuotaDoesNotGrowUntilOneIsSet() {
    PoolUnderTest pool =
        fleet
            .pool("no-quota", WITHOUT_QUOTA, 1)
            .reports(
                QuotaReason.NOT_SET,
                "Quota not found for instance type %s in zone %s.".formatted(WITHOUT_QUOTA, ZONE))
            .emitted(EventReason.NODE_POOL_QUOTA_CHECK_FAILED, "Quota not found")
            .neverEmitted(EventReason.NODE_REQUEST_QUEUED);

    setQuota(WITHOUT_QUOTA, 1);
    pool.isWell();
  }

  private void setQuota(String type, int nodes) {
    fleet.change(centre -> {
      centre.quotas.removeIf(each -> each.instanceType.equals(type));
      centre.quotas.add(quota(type, nodes));
    });
  }

  @Test
  void poolsWaitInOneQueueUntilOneGivesUpOrMachinesAreAdded() {
    PoolUnderTest front =
        fleet
            .pool("front", QUEUED, 3)
            .reports(
                CapacityReason.QUEUED_AWAITING_CAPACITY,
                "1 Node of type " + QUEUED,
                "position 1 of 1 in the queue")
            .emitted(EventReason.INSUFFICIENT_CAPACITY, "position 1 of 1 in the queue")
            .reports(AtTargetReason.UNDER_TARGET, "NodePool has 2 of 3 nodes", "1 queued");
    PoolUnderTest behind =
        fleet
            .pool("behind", QUEUED, 1)
            .reports(
                CapacityReason.QUEUED_AWAITING_CAPACITY,
                "position 2 of 2 in the queue, behind 1 Node of 1 other pool")
            .emitted(EventReason.INSUFFICIENT_CAPACITY, "position 2 of 2 in the queue");

    front.target(2).isWell();
    behind.reports(CapacityReason.QUEUED_AWAITING_CAPACITY, "position 1 of 1 in the queue");
    setHosts("queued", 3);
    behind
        .isWell()
        .emitted(EventReason.NODE_REQUEST_QUEUED, "Requested 1 Node of type " + QUEUED)
        .emitted(EventReason.NODE_ASSIGNED, "1 Node (", ") assigned.")
        .emitted(EventReason.NODE_POOL_SCALED_UP, "its target of 1 Node");
  }

  @Test
  void aTypeWithoutAQueueGivesFreeMachinesAtOnceAndTheRestWhenAdded() {
    PoolUnderTest pool =
        fleet
            .pool("unqueued", UNQUEUED, 3)
            .reports(
                CapacityReason.PARTIAL,
                "Machines of type %s are available for 2 of 3 Nodes.".formatted(UNQUEUED),
                "not queued")
            .emitted(EventReason.INSUFFICIENT_CAPACITY, "2 of 3 Nodes")
            .reports(AtTargetReason.UNDER_TARGET, "2 of 3 nodes: 0 in progress, 0 queued")
            .reports(
                CapacityReason.PARTIAL,
                "No further machine of type %s is available for 1 Node.".formatted(UNQUEUED));
    PoolUnderTest second =
        fleet
            .pool("unqueued-second", UNQUEUED, 1)
            .reports(CapacityReason.NONE_AVAILABLE, "No machine of type %s".formatted(UNQUEUED))
            .emitted(EventReason.INSUFFICIENT_CAPACITY, "No machine of type");

    setHosts("unqueued", 4);
    pool.isWell();
    second.isWell();
  }

  @Test
  void anAffinityThatAdmitsTooFewMachinesBlocksGrowthUntilItIsRemoved() {
    fleet
        .pool("nowhere-only", IN_TWO_PLACES, 1, NodeLabels.RACK.key() + "=nowhere")
        .reports(
            CapacityReason.NONE_AVAILABLE_NODE_AFFINITY,
            "its affinity admits only 0 of the 1 that it wants")
        .target(0);
    fleet
        .pool("near-only", IN_TWO_PLACES, 3, NodeLabels.RACK.key() + "=near")
        .reports(
            CapacityReason.PARTIAL_NODE_AFFINITY,
            "its affinity admits only 1 of the 3 that it wants")
        .emitted(EventReason.INSUFFICIENT_CAPACITY, "its affinity admits only 1 of the 3")
        .reports(AtTargetReason.UNDER_TARGET, "NodePool has 1 of 3 nodes")
        .reports(
            CapacityReason.PARTIAL_NODE_AFFINITY,
            "its affinity admits only 0 of the 2 that it wants")
        .withoutAffinity()
        .isWell();
  }

  private void setHosts(String rack, int hosts) {
    fleet.change(centre ->
        centre.racks.stream()
            .filter(each -> each.name.equals(rack))
            .forEach(each -> each.hosts = hosts));
  }

  @Test
  void withoutTheFleetsOfferNothingIsDecidedUntilItIsRestored() {
    PoolUnderTest pool = fleet.pool("no-offer", PLAIN, 1).isWell();
    fleet.stopFleet();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    String why = "ConfigMap nodepool-system/fleet-offer is missing.";

    reportsInternalErrors(pool, why)
        .target(2)
        .reports(
            AtTargetReason.UNDER_TARGET, "NodePool has 1 of 2 nodes: 0 in progress, 0 queued.");

    fleet.startFleet();
    pool.isWell();
  }

  @Test
  void anUnreadableOfferCountsAsMissing() {
    PoolUnderTest pool = fleet.pool("garbled-offer", PLAIN, 1).isWell();
    fleet.stopFleet();
    admin
        .configMaps()
        .inNamespace(OperatorRuntime.NAMESPACE)
        .withName(OfferDocument.NAME)
        .edit(map -> {
          map.getData().put(OfferDocument.KEY, "{\"zone\": ");
          return map;
        });

    reportsInternalErrors(pool, "offer.json is no JSON");

    fleet.startFleet();
    pool.isWell();
  }

  @Test
  void aConfigurationThatTheFleetOffersNoLongerIsNotBooted() {
    fleet.change(spec -> spec.releases = SampleNodes.centre().releases);
    PoolUnderTest pool = fleet.pool("no-configuration", PLAIN, 1).isWell();

    fleet.change(spec -> spec.releases.getFirst().kubernetesVersion = "v1.33.9");
    pool.reports(
            ValidatedReason.NODE_CONFIG_INTERNAL_ERROR,
            "failed to generate node configuration due to internal error",
            "the fleet does not offer ncore-2.12.0_6.8.0-60-generic_580.65.06_v1.34.3")
        .emitted(
            EventReason.NODE_CONFIG_INTERNAL_ERROR,
            "failed to generate node configuration due to internal error");

    fleet.change(spec -> spec.releases = SampleNodes.centre().releases);
    pool.isWell();
    assertThat(pool.events(EventReason.NODE_CONFIG_INTERNAL_ERROR)).hasSize(1);
  }

  private static PoolUnderTest reportsInternalErrors(PoolUnderTest pool, String why) {
    return pool.reports(ValidatedReason.INTERNAL_ERROR, "The fleet's offer could not be read", why)
        .reports(CapacityReason.INTERNAL_ERROR, "The capacity could not be read", why)
        .reports(QuotaReason.INTERNAL_ERROR, "The quota could not be read", why)
        .emitted(EventReason.NODE_POOL_QUOTA_CHECK_FAILED, why)
        .neverEmitted(EventReason.INSUFFICIENT_CAPACITY);
  }

  @Test
  void busyNodesBeyondTheTargetAreReportedOverTarget() {
    PoolUnderTest pool = fleet.pool("over-target", PLAIN, 2).isWell();
    List<Pod> work = pool.nodes().map(this::work).toList();

    pool.target(1)
        .reports(AtTargetReason.OVER_TARGET, "NodePool has 2 nodes, 1 more than its target of 1")
        .neverEmitted(EventReason.NODE_POOL_SCALED_DOWN);

    pool.target(2).isWell().neverEmitted(EventReason.NODE_POOL_SCALED_DOWN);
    assertThat(pool.events(EventReason.NODE_POOL_SCALED_UP)).hasSize(1);
    work.forEach(pod -> admin.resource(pod).withGracePeriod(0).delete());
  }

  @Test
  void aPoolThatIsBeingDeletedWaitsForItsWorkAndCanBeRecreated() {
    PoolUnderTest pool = fleet.pool("deleted", PLAIN, 1).isWell();
    Pod work = work(pool.nodes().findFirst().orElseThrow());

    pool.delete()
        .reports(AtTargetReason.PENDING_DELETE, "NodePool is being deleted")
        .neverEmitted(EventReason.NODE_POOL_REMOVE_NODES)
        .neverEmitted(EventReason.NODE_POOL_DELETED);

    admin.resource(work).withGracePeriod(0).delete();
    pool.isGone();
    pool.emitted(EventReason.NODE_POOL_REMOVE_NODES, "Removing 1 Node")
        .emitted(EventReason.NODE_POOL_DELETED, "NodePool deleted is deleted.");
    fleet.pool("deleted", PLAIN, 1).isWell();
  }

  /** Binds a tenant's Pod to a Node, which makes the Node active. */
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
        assertThat(admin.nodes().withName(node).require().getStatus().getConditions())
            .anyMatch(
                each -> each.getType().equals("CWActive") && each.getStatus().equals("True")));
    return pod;
  }

  /** With {@code -Dpools.write=true} the pools are written for the quick tests. */
  @Test
  @Order(Integer.MAX_VALUE - 1)
  void theHealthChecksForGitOpsToolsAgreeWithEachStanding() throws IOException {
    Map<String, NodePool> standings = fleet.history().standings();
    if (Boolean.getBoolean("pools.write")) {
      for (Map.Entry<String, NodePool> each : standings.entrySet()) {
        each.getValue().getMetadata().setManagedFields(List.of());
        Files.writeString(
            RecordedPools.FOLDER.resolve(each.getKey() + ".yaml"),
            Serialization.asYaml(each.getValue()));
      }
    }
    HealthChecks checks = HealthChecks.documented();

    assertThat(standings).hasSizeGreaterThan(8);
    standings.forEach((standing, pool) ->
        RecordedPools.assertHealth(checks, standing, new ObjectMapper().valueToTree(pool)));
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void everyReachableReasonIsReached() {
    assertThat(fleet.reached())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(
                    PoolCondition.VALIDATED,
                    PoolCondition.CAPACITY,
                    PoolCondition.QUOTA,
                    PoolCondition.AT_TARGET)
                .flatMap(condition -> condition.reasons().stream())
                .filter(reason -> !NOT_REACHED.containsKey(reason))
                .toList());
  }
}
