package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.ZONE;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
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
 * Event; once its cause is put right, the pool gets well by itself. Each scenario has pools of its
 * own, and where machines or quota matter an instance type of its own.
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
  void aTypeThatDoesNotExistIsInvalidUntilThePoolIsMadeAnew() {
    PoolUnderTest misspelt =
        fleet
            .pool("misspelt", "gd-8xh100ib-i129", 1)
            .says(
                ValidatedReason.INVALID,
                "Instance type gd-8xh100ib-i129 does not exist. Did you mean gd-8xh100ib-i128?")
            .told(EventReason.INVALID_INSTANCE_TYPE, "gd-8xh100ib-i129 does not exist");

    misspelt.delete().isGone();
    fleet.pool("misspelt", PLAIN, 1).isWell().neverTold(EventReason.INVALID_INSTANCE_TYPE);
  }

  @Test
  void aTypeThatIsNotInTheZoneIsInvalidUntilItIs() {
    PoolUnderTest pool =
        fleet
            .pool("elsewhere", ELSEWHERE, 1)
            .says(
                ValidatedReason.INVALID,
                "Instance type %s is not available in zone %s; available are"
                    .formatted(ELSEWHERE, ZONE))
            .told(EventReason.INSTANCE_TYPE_NOT_IN_ZONE, ELSEWHERE)
            .neverTold(EventReason.INVALID_INSTANCE_TYPE);

    fleet.change(centre -> centre.racks.add(rack("new", ELSEWHERE, 1)));
    pool.isWell();
  }

  @Test
  void aSizeThatIsNoWholeRacksIsInvalidUntilItIs() {
    fleet
        .pool("half-a-rack", IN_RACKS, 17)
        .says(
            ValidatedReason.INVALID,
            "whole racks of 18 Nodes; targetNodes is 17, right would be 0 or 18.")
        .neverTold(EventReason.NODE_REQUEST_QUEUED)
        .target(18)
        .isWell();
  }

  @Test
  void anAffinityThatCannotBeReadOrMetIsInvalidUntilItIsTakenOff() {
    fleet
        .pool("choosy", PLAIN, 1, "node.coreweave.cloud/rack in (")
        .says(
            ValidatedReason.INVALID,
            "Annotation nodepool.io/node-affinity cannot be read",
            "is no requirement")
        .affinity(NodeLabels.ZONE.key() + "=NOWHERE-01A")
        .says(
            ValidatedReason.INVALID,
            "Annotation nodepool.io/node-affinity admits no machine",
            "of this pool's machines is " + ZONE)
        .neverTold(EventReason.NODE_REQUEST_QUEUED)
        .withoutAffinity()
        .isWell();
  }

  @Test
  void growthBeyondTheQuotaWaitsAsAWholeUntilTheQuotaIsRaised() {
    PoolUnderTest pool =
        fleet
            .pool("over-quota", SHORT_OF_QUOTA, 2)
            .says(
                QuotaReason.OVER,
                "pushes you over quota for %s in %s. It would take 2 of 1 Nodes."
                    .formatted(SHORT_OF_QUOTA, ZONE))
            .told(EventReason.OVER_QUOTA, SHORT_OF_QUOTA)
            .says(AtTargetReason.UNDER_TARGET, "0 of 2 nodes: 0 in progress, 0 queued")
            .neverTold(EventReason.NODE_REQUEST_QUEUED);

    setQuota(SHORT_OF_QUOTA, 2);
    pool.isWell();
  }

  @Test
  void aTypeWithoutAQuotaDoesNotGrowUntilOneIsSet() {
    PoolUnderTest pool =
        fleet
            .pool("no-quota", WITHOUT_QUOTA, 1)
            .says(
                QuotaReason.NOT_SET,
                "Quota not found for instance type %s in zone %s.".formatted(WITHOUT_QUOTA, ZONE))
            .told(EventReason.NODE_POOL_QUOTA_CHECK_FAILED, "Quota not found")
            .neverTold(EventReason.NODE_REQUEST_QUEUED);

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
  void poolsWaitInOneQueueUntilOneGivesUpOrMachinesCome() {
    PoolUnderTest front =
        fleet
            .pool("front", QUEUED, 3)
            .says(
                CapacityReason.QUEUED_AWAITING_CAPACITY,
                "1 Node of type " + QUEUED,
                "position 1 of 1 in the queue")
            .told(EventReason.INSUFFICIENT_CAPACITY, "position 1 of 1 in the queue")
            .says(AtTargetReason.UNDER_TARGET, "NodePool has 2 of 3 nodes", "1 queued");
    PoolUnderTest behind =
        fleet
            .pool("behind", QUEUED, 1)
            .says(
                CapacityReason.QUEUED_AWAITING_CAPACITY,
                "position 2 of 2 in the queue, behind 1 Node of 1 other pool")
            .told(EventReason.INSUFFICIENT_CAPACITY, "position 2 of 2 in the queue");

    front.target(2).isWell();
    behind.says(CapacityReason.QUEUED_AWAITING_CAPACITY, "position 1 of 1 in the queue");
    setHosts("queued", 3);
    behind
        .isWell()
        .told(EventReason.NODE_REQUEST_QUEUED, "Requested 1 Node of type " + QUEUED)
        .told(EventReason.NODE_ASSIGNED, "1 Node assigned")
        .told(EventReason.NODE_POOL_SCALED_UP, "its target of 1 Node");
  }

  @Test
  void aTypeWithoutAQueueGivesWhatThereIsAndTheRestWhenItComes() {
    PoolUnderTest pool =
        fleet
            .pool("unqueued", UNQUEUED, 3)
            .says(
                CapacityReason.PARTIAL,
                "2 of 3 Nodes of type %s are available.".formatted(UNQUEUED),
                "not queued")
            .told(EventReason.INSUFFICIENT_CAPACITY, "2 of 3 Nodes")
            .says(
                CapacityReason.NONE_AVAILABLE,
                "No machine of type %s is available".formatted(UNQUEUED))
            .says(AtTargetReason.UNDER_TARGET, "2 of 3 nodes: 0 in progress, 0 queued");
    PoolUnderTest second =
        fleet
            .pool("unqueued-second", UNQUEUED, 1)
            .says(CapacityReason.NONE_AVAILABLE, "No machine of type %s".formatted(UNQUEUED))
            .told(EventReason.INSUFFICIENT_CAPACITY, "No machine of type");

    setHosts("unqueued", 4);
    pool.isWell();
    second.isWell();
  }

  @Test
  void anAffinityThatAdmitsTooFewMachinesHoldsGrowthUpUntilItIsTakenOff() {
    fleet
        .pool("near-only", IN_TWO_PLACES, 3, NodeLabels.RACK.key() + "=near")
        .says(
            CapacityReason.PARTIAL_NODE_AFFINITY,
            "its affinity admits only 1 of the 3 that it wants")
        .told(EventReason.INSUFFICIENT_CAPACITY, "its affinity admits only 1 of the 3")
        .says(
            CapacityReason.NONE_AVAILABLE_NODE_AFFINITY,
            "its affinity admits only 0 of the 2 that it wants")
        .says(AtTargetReason.UNDER_TARGET, "NodePool has 1 of 3 nodes")
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
  void withoutTheFleetsOfferNothingIsDecidedUntilItIsBack() {
    PoolUnderTest pool = fleet.pool("no-offer", PLAIN, 1).isWell();
    fleet.stopFleet();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    String why = "ConfigMap nodepool-system/fleet-offer is missing.";

    saysItCannotKnow(pool, why)
        .target(2)
        .says(AtTargetReason.UNDER_TARGET, "NodePool has 1 of 2 nodes: 0 in progress, 0 queued.");

    fleet.startFleet();
    pool.isWell();
  }

  @Test
  void anOfferThatCannotBeReadIsAsGoodAsNone() {
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

    saysItCannotKnow(pool, "offer.json is no JSON");

    fleet.startFleet();
    pool.isWell();
  }

  private static PoolUnderTest saysItCannotKnow(PoolUnderTest pool, String why) {
    return pool.says(ValidatedReason.INTERNAL_ERROR, "The fleet's offer could not be read", why)
        .says(CapacityReason.INTERNAL_ERROR, "The capacity could not be read", why)
        .says(QuotaReason.INTERNAL_ERROR, "The quota could not be read", why)
        .told(EventReason.NODE_POOL_QUOTA_CHECK_FAILED, why)
        .neverTold(EventReason.INSUFFICIENT_CAPACITY);
  }

  @Test
  void busyNodesBeyondTheTargetAreOverIt() {
    PoolUnderTest pool = fleet.pool("over-target", PLAIN, 2).isWell();
    List<Pod> work = pool.nodes().map(this::work).toList();

    pool.target(1)
        .says(AtTargetReason.OVER_TARGET, "NodePool has 2 nodes, 1 more than its target of 1")
        .neverTold(EventReason.NODE_POOL_SCALED_DOWN);

    pool.target(2).isWell().neverTold(EventReason.NODE_POOL_SCALED_DOWN);
    assertThat(pool.events(EventReason.NODE_POOL_SCALED_UP)).hasSize(1);
    work.forEach(pod -> admin.resource(pod).withGracePeriod(0).delete());
  }

  @Test
  void aPoolThatIsBeingDeletedWaitsForItsWorkAndMayComeAgain() {
    PoolUnderTest pool = fleet.pool("deleted", PLAIN, 1).isWell();
    Pod work = work(pool.nodes().findFirst().orElseThrow());

    pool.delete()
        .says(AtTargetReason.PENDING_DELETE, "NodePool is being deleted")
        .neverTold(EventReason.NODE_POOL_REMOVE_NODES)
        .neverTold(EventReason.NODE_POOL_DELETED);

    admin.resource(work).withGracePeriod(0).delete();
    pool.isGone();
    pool.told(EventReason.NODE_POOL_REMOVE_NODES, "Removing 1 Node")
        .told(EventReason.NODE_POOL_DELETED, "NodePool deleted is deleted.");
    fleet.pool("deleted", PLAIN, 1).isWell();
  }

  /** A tenant's Pod on a Node, which makes the Node active. */
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

  @Test
  @Order(Integer.MAX_VALUE)
  void everyReasonIsReachedButThoseThatCannotBe() {
    assertThat(fleet.reached())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(
                    PoolCondition.VALIDATED,
                    PoolCondition.CAPACITY,
                    PoolCondition.QUOTA,
                    PoolCondition.AT_TARGET)
                .flatMap(condition -> PoolReason.of(condition).stream())
                .filter(reason -> !NOT_REACHED.containsKey(reason))
                .toList());
  }
}
