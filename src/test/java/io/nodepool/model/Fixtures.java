package io.nodepool.model;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.PastRepairs;
import io.nodepool.model.node.LiveRead;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.model.snapshot.TypeHosts;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import org.pcollections.TreePMap;

/**
 * Default objects for tests. A test changes what it examines with the {@code with} methods of the
 * records.
 */
public final class Fixtures {
  /** The instance type of the machines: 8 GPUs each, allocated singly. */
  public static final String TYPE = "gd-8xh100ib-i128";

  /** The instant of all objects. */
  public static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private Fixtures() {}

  /** A machine without a fabric. */
  public static Machine machine(String type, String rack, int slot) {
    return new Machine(
        type,
        new Machine.Location("US-EAST-04A", "US-EAST-04", rack, "r" + rack, slot),
        Machine.Interconnect.NONE);
  }

  /** An assignment to a pool without metadata for its Nodes. */
  public static Assignment assignment(PoolId pool) {
    return new Assignment(pool, "default", "op", NOW, NodeTemplate.EMPTY);
  }

  /** A Host of the type without failed deliveries. */
  public static Host host(HostId id, Host.Occupancy occupancy, Host.Report report) {
    return new Host(id, 1, machine(TYPE, "1", 0), occupancy, DeliveryHistory.CLEAN, report);
  }

  /** A pool of the type with this target, of which nothing was published yet. */
  public static Pool pool(PoolId id, int target) {
    return new Pool(id, 1, 1, NOW, Optional.empty(), true, spec(target), PoolStatus.NONE);
  }

  /** A Host that runs for this pool in its first tenancy. */
  public static Host running(HostId id, PoolId pool) {
    return host(
        id,
        new Host.Occupancy(1, Optional.of(assignment(pool)), "", Host.Power.ON),
        new Host.Report(HostPhase.RUNNING, 1, "boot", "n", NOW));
  }

  /** A spec with this target in Nodes of the type, with IdleOnly. */
  public static PoolSpec spec(int target) {
    return spec(TYPE, target);
  }

  /** A spec with this target in Nodes of a type, with IdleOnly. */
  public static PoolSpec spec(String type, int target) {
    return new PoolSpec(
        new PoolSpec.Machines(type, "default", Affinity.any()),
        new PoolSpec.Size(OptionalInt.of(target), OptionalInt.empty(), 0, 0, false),
        NodeTemplate.EMPTY,
        ConfigurationSpec.DEFAULT,
        PoolSpec.Lifecycle.DEFAULTS,
        PoolSpec.RepairPolicy.DEFAULTS,
        0,
        false,
        PoolSpec.Pause.NONE);
  }

  /** The spec with another target, in Nodes. */
  public static PoolSpec withTarget(PoolSpec spec, int nodes) {
    return spec.withSize(
        spec.size().withTargetNodes(OptionalInt.of(nodes)).withTargetRacks(OptionalInt.empty()));
  }

  /** The registered Node that a Host joined as: Ready, idle, without metadata. */
  public static Node node(HostId host, String uid, int tenancy) {
    return new Node(
        new Node.Identity(host.name(), uid, NOW, host.uid(), tenancy),
        1,
        NodeMetadata.NONE,
        false,
        Optional.empty(),
        NodeConditions.registered(NodeStatus.JOINED, true),
        Node.Finalization.NONE);
  }

  /** A running Pod of a tenant that keeps its Node, g1: one of Job train. */
  public static Pod pod(String namespace, String name) {
    return new Pod(
        new Pod.Id(namespace, name, name + "-uid"),
        1,
        "g1",
        new Pod.Owner("Job", "train", false),
        new Pod.Eviction(false, Duration.ofSeconds(30), Pod.Interruption.NONE),
        new Pod.Execution(Instant.EPOCH, true, false, Optional.empty()));
  }

  /** The Pod with a requested deletion. */
  public static Pod ending(Pod pod, Pod.Ending ending) {
    return pod.withExecution(pod.execution().withEnding(Optional.of(ending)));
  }

  /** A member whose Node is not being cordoned, and is passed over as its record says. */
  public static Member member(
      Host host,
      Optional<Node> node,
      Workload workload,
      Optional<HostOperation> underWay,
      Optional<Member.Waiting> waiting,
      Member.Findings findings) {
    return member(host, node, workload, underWay, waiting, findings, false);
  }

  /** A member whose Node is passed over as its record says. */
  public static Member member(
      Host host,
      Optional<Node> node,
      Workload workload,
      Optional<HostOperation> underWay,
      Optional<Member.Waiting> waiting,
      Member.Findings findings,
      boolean cordoning) {
    return asOf(
        new Member(host, node, workload, underWay, waiting, findings, cordoning, Optional.empty()),
        Instant.MIN);
  }

  /** The member at this instant: its Node may be chosen again if the time for that has come. */
  public static Member asOf(Member member, Instant now) {
    return new Member(
        member.host(),
        member.node(),
        member.workload(),
        member.underWay(),
        member.waiting(),
        member.findings(),
        member.cordoning(),
        member.node().flatMap(each -> each.passedOverUntil(now)));
  }

  /** Findings about a machine on which staging does not fail. */
  public static Member.Findings findings(
      Optional<String> trouble,
      Optional<String> frozen,
      Optional<String> refusal,
      Optional<LiveRead> liveRead) {
    return new Member.Findings(
        trouble.map(why -> new Member.Trouble(false, why)),
        frozen,
        refusal,
        liveRead,
        Optional.empty(),
        false,
        NeededRepairs.NONE,
        Optional.empty(),
        false);
  }

  /** Evidence about a machine without a request to boot it anew. */
  public static MachineSnapshot.Evidence evidence(
      Optional<Instant> cordonSeen,
      Optional<MachineSnapshot.Listing> listed,
      Map<String, MachineSnapshot.Attempt> tried,
      boolean ownerGone,
      Optional<LiveRead> liveRead) {
    return new MachineSnapshot.Evidence(
        cordonSeen,
        listed,
        tried,
        ownerGone,
        liveRead,
        MachineSnapshot.Booting.NONE,
        MachineSnapshot.Requested.NONE,
        0,
        MachineSnapshot.Announcements.NONE,
        Optional.empty());
  }

  /** A snapshot of a pool for which nothing is refused, and that was always watched. */
  public static PoolSnapshot snapshot(
      Pool pool,
      Optional<Growth> growth,
      PoolSnapshot.Held holding,
      PoolSnapshot.Availability availability,
      boolean confirmedEmpty,
      EventLedger ledger) {
    return new PoolSnapshot(
        pool,
        growth,
        holding,
        availability,
        confirmedEmpty,
        ledger,
        PoolSnapshot.Refusals.NONE,
        PoolSnapshot.Watched.NOT_YET.from(Instant.MIN),
        List.of());
  }

  /** The snapshot with another state of the pool and its published growth request. */
  public static PoolSnapshot withPool(PoolSnapshot seen, Pool next) {
    return seen.withPool(next).withGrowth(next.status().growth());
  }

  /** These members only. */
  public static PoolSnapshot.Held held(Collection<Member> members) {
    return held(Members.of(members), 0, List.of());
  }

  /** These Hosts, without any Node that has none. */
  public static PoolSnapshot.Held held(
      Members members, int assigning, List<PoolSnapshot.Unread> unread) {
    return new PoolSnapshot.Held(members, assigning, unread, TreePMap.empty(), PastRepairs.NONE);
  }

  /** These Hosts may be assigned now; no pool holds a Host of their racks. */
  public static FreeHosts free(Collection<FreeHosts.FreeHost> now) {
    FreeHosts.Assignable all = FreeHosts.Assignable.NONE;
    for (FreeHosts.FreeHost each : now) {
      all = all.plus(each);
    }
    return FreeHosts.NONE.withNow(all);
  }

  /** The Hosts, while the version of the API server is not known. */
  public static PoolSnapshot.Availability availability(
      FreeHosts free, List<Claim> others, PoolSnapshot.Offer offer) {
    return availability(free, others, offer, Optional.empty());
  }

  /** The Hosts, without other pools' verdicts. */
  public static PoolSnapshot.Availability availability(
      FreeHosts free, List<Claim> others, PoolSnapshot.Offer offer, Optional<String> apiServer) {
    return new PoolSnapshot.Availability(
        free,
        others,
        offer,
        apiServer,
        ConfigurationVerdicts.NONE,
        PoolSnapshot.InFlight.NONE,
        TypeHosts.NONE);
  }

  /** The boots of a configuration all of whose failures count. */
  public static ConfigurationState.BootRecord boots(
      boolean disabled, Optional<Instant> provenAt, List<ConfigurationState.FailedBoot> failures) {
    return new ConfigurationState.BootRecord(disabled, provenAt, failures, Optional.empty(), false);
  }

  /** The offer of a fleet that boots no machine on request. */
  public static FleetOffer offer(
      String zone,
      String region,
      String organization,
      SortedSet<String> instanceTypes,
      SortedSet<String> unqueued,
      SortedMap<String, Integer> quota,
      List<FleetRelease> releases) {
    return new FleetOffer(
        zone,
        region,
        organization,
        instanceTypes,
        unqueued,
        quota,
        releases,
        FleetOffer.Capabilities.NONE);
  }
}
