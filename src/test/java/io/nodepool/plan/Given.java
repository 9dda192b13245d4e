package io.nodepool.plan;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.health.Health;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Small snapshots for planner tests: a pool named a, and machines named g1 and so on, all of one
 * type.
 */
public final class Given {
  public static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  static final String TYPE = "gd-8xh100ib-i128";
  static final PoolId POOL = new PoolId("a", "pool-uid");
  public static final InstanceCatalogue CATALOGUE = InstanceCatalogue.bundled();
  public static final FleetOffer OFFER =
      new FleetOffer(
          "US-EAST-04A",
          "US-EAST-04",
          "example-org",
          new TreeSet<>(Set.of(TYPE)),
          new TreeSet<>(),
          new TreeMap<>(Map.of(TYPE, 100)),
          List.of(
              FleetRelease.whole("ncore-1", List.of("ncore 1")),
              FleetRelease.whole("ncore-2", List.of("ncore 2"))),
          FleetOffer.Capabilities.ALL);

  private static final NodeStatus REGISTERED =
      NodeConditions.activity(
          NodeConditions.registered(NodeStatus.JOINED, true),
          Optional.of(new Node.Activity(false, "No tenant workloads.")));

  private Given() {}

  static PoolSpec spec(int target, PoolSpec.ScaleDownStrategy strategy) {
    PoolSpec spec = Fixtures.spec(target);
    return spec.withLifecycle(spec.lifecycle().withScaleDownStrategy(strategy));
  }

  public static Pool pool(int target, PoolSpec.ScaleDownStrategy strategy) {
    return new Pool(
        POOL, 1, 1, NOW, Optional.empty(), true, spec(target, strategy), PoolStatus.NONE);
  }

  public static Host host(String name, HostPhase phase, int reported, Host.Power power) {
    return new Host(
        new HostId(name, name + "-host"),
        10,
        Fixtures.machine(Fixtures.TYPE, "101", 1),
        new Host.Occupancy(3, Optional.of(Fixtures.assignment(POOL)), "ncore-1", power),
        DeliveryHistory.CLEAN,
        new Host.Report(phase, reported, "boot", "ncore-1", NOW));
  }

  public static Host running(String name) {
    return host(name, HostPhase.RUNNING, 3, Host.Power.ON);
  }

  /** The Host without an assignment. */
  public static Host unassigned(Host host) {
    return host.withOccupancy(Host.Occupancy.none(host.tenancy()).withPower(host.power()));
  }

  /** The Node that a Host joined as in a tenancy. */
  public static Node node(Host host, int tenancy) {
    return Fixtures.node(host.id(), host.id().name() + "-node", tenancy)
        .withMetadata(metadata())
        .withStatus(REGISTERED);
  }

  /** The metadata of a Node of the pool that no client changed. */
  private static NodeMetadata metadata() {
    return new NodeMetadata(
        Optional.of(NodeTemplate.EMPTY),
        new TreeMap<>(
            Map.of(
                NodeLabels.NODE_POOL.key(), POOL.name(),
                NodeLabels.NODE_POOL_UID.key(), POOL.uid(),
                NodeLabels.COMPUTE_CLASS.key(), "default")),
        new TreeMap<>(),
        CATALOGUE.find(TYPE).stream().map(InstanceType::kindTaint).toList());
  }

  public static Node unregistered(Node node) {
    return node.withStatus(
        NodeConditions.activity(NodeConditions.registered(node.status(), false), Optional.empty()));
  }

  public static Node leaving(Node node, Disruption removal) {
    String causes = removal.active().map(Disruption.Active::text).orElse("");
    Node.Removing says =
        new Node.Removing(
            NodeRemovalReason.MARKED,
            "Chosen to leave NodePool a: %s. It stays if it gets tenant work before it is drained."
                .formatted(causes));
    return node.withCordoned(true)
        .withDisruption(Optional.of(removal))
        .withStatus(NodeConditions.removing(node.status(), Optional.of(says)));
  }

  /** A tenant Pod that keeps its Node. */
  public static Pod work() {
    return Fixtures.pod("default", "train");
  }

  public static MachineSnapshot machine(
      Host host,
      Optional<Node> node,
      List<Pod> pods,
      Optional<Pool> pool,
      MachineSnapshot.Evidence evidence) {
    return new MachineSnapshot(
        host,
        node,
        new MachineSnapshot.Bound(pods, Set.of()),
        pool,
        Optional.of(NodeTemplate.EMPTY),
        evidence,
        Optional.of(OFFER),
        Health.NONE);
  }

  public static Member member(
      Host host,
      Optional<Node> node,
      Workload workload,
      Optional<Member.Waiting> waiting,
      Member.Findings findings) {
    return Fixtures.member(
        host, node, workload, Optional.<HostOperation>empty(), waiting, findings);
  }

  public static PoolSnapshot pool(Pool pool, List<Member> members) {
    return Fixtures.snapshot(
        pool,
        pool.status().growth(),
        Fixtures.held(members),
        Fixtures.availability(FreeHosts.NONE, List.of(), new PoolSnapshot.Offer.Known(OFFER)),
        false,
        EventLedger.of(pool.status()));
  }
}
