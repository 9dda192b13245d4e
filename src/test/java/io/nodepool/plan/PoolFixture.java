package io.nodepool.plan;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.affinity.AffinityText;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * The snapshot of one pool for the tables of planner tests. What a row does not set has a default.
 */
public final class PoolFixture {
  public static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  static final String GPU = "gd-8xh100ib-i128";
  public static final String RACK = "gb200-4x";
  static final PoolId POOL = new PoolId("a", "uid-a");

  private PoolSpec spec = Fixtures.spec(GPU, 2);
  private PoolId id = POOL;
  private PoolStatus status = PoolStatus.NONE;
  private long version = 1;
  private Optional<Growth> growth = Optional.empty();
  private final SortedMap<String, String> labels = new TreeMap<>();
  private final SortedMap<String, String> annotations = new TreeMap<>();
  private final List<Taint> taints = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private final List<Claim> others = new ArrayList<>();
  private final TreeSet<String> unqueued = new TreeSet<>();
  private final TreeMap<String, Integer> quota = new TreeMap<>();
  private int assigning;
  private final List<PoolSnapshot.Unread> unread = new ArrayList<>();
  private int free;
  private int spotFree;
  private int reclaimed;
  private Optional<String> lost = Optional.empty();
  private Optional<String> apiServer = Optional.of("v1.34.4");
  private List<FleetRelease> releases = List.of(FleetRelease.whole("p1", List.of()));

  public PoolFixture type(String next) {
    return machines(spec.machines().withInstanceType(next));
  }

  public PoolFixture computeClass(String next) {
    return machines(spec.machines().withComputeClass(next));
  }

  public PoolFixture target(int nodes) {
    return size(spec.size().withTargetNodes(OptionalInt.of(nodes)));
  }

  public PoolFixture noTarget() {
    return size(spec.size().withTargetNodes(OptionalInt.empty()));
  }

  public PoolFixture racks(int racks) {
    return size(
        spec.size().withTargetNodes(OptionalInt.empty()).withTargetRacks(OptionalInt.of(racks)));
  }

  public PoolFixture autoscaled(int least, int most) {
    return size(spec.size().withMinNodes(least).withMaxNodes(most).withAutoscaling(true));
  }

  public PoolFixture bounds(int least, int most) {
    return size(spec.size().withMinNodes(least).withMaxNodes(most));
  }

  public PoolFixture prefill() {
    spec = spec.withPrefill(true);
    return this;
  }

  public PoolFixture gpuVersion(String version) {
    spec =
        spec.withConfiguration(
            spec.configuration()
                .withRequest(spec.configuration().request().withGpuVersion(version)));
    return this;
  }

  public PoolFixture configured(UnaryOperator<ConfigurationSpec> change) {
    spec = spec.withConfiguration(change.apply(spec.configuration()));
    return this;
  }

  public PoolFixture offering(List<FleetRelease> next) {
    releases = List.copyOf(next);
    return this;
  }

  public PoolFixture apiServer(String version) {
    apiServer = Optional.of(version);
    return this;
  }

  public PoolFixture held(List<Member> next) {
    members.clear();
    members.addAll(next);
    return this;
  }

  public PoolFixture affinity(String text) {
    return machines(spec.machines().withAffinity(AffinityText.read(text)));
  }

  private PoolFixture size(PoolSpec.Size next) {
    spec = spec.withSize(next);
    return this;
  }

  private PoolFixture machines(PoolSpec.Machines next) {
    spec = spec.withMachines(next);
    return this;
  }

  public PoolFixture named(String name) {
    id = new PoolId(name, "uid-a");
    return this;
  }

  public PoolFixture label(String key, String value) {
    labels.put(key, value);
    return this;
  }

  public PoolFixture annotation(String key, String value) {
    annotations.put(key, value);
    return this;
  }

  public PoolFixture taint(String key, String value, String effect) {
    taints.add(new Taint(key, value, effect));
    return this;
  }

  /** A growth request and its grant, published and known. */
  public PoolFixture asked(int target, int granted) {
    growth = Optional.of(new Growth(NOW.minusSeconds(60), target, granted, 0));
    status = status.withGrowth(growth);
    return this;
  }

  public PoolFixture published(PoolStatus next) {
    status = next;
    version++;
    growth = next.growth();
    return this;
  }

  /** Holds this number of machines that have not booted. */
  public PoolFixture booting(int count) {
    return members(count, HostPhase.FREE, Optional.empty());
  }

  /** Holds this number of registered Nodes. */
  public PoolFixture registered(int count) {
    return members(count, HostPhase.RUNNING, Optional.of(true));
  }

  private PoolFixture members(int count, HostPhase phase, Optional<Boolean> registered) {
    IntStream.range(0, count)
        .forEach(i -> {
          Host host = host("h" + (members.size() + 1), phase, members.size());
          members.add(
              Fixtures.member(
                  host,
                  registered.map(is -> node(host, is)),
                  Workload.NONE,
                  Optional.empty(),
                  Optional.empty(),
                  Member.Findings.NONE));
        });
    return this;
  }

  /** Holds this number of machines that have not booted and that the fleet wants back. */
  public PoolFixture bootingReclaimed(int count) {
    for (int i = 0; i < count; i++) {
      booting(1);
      Member last = members.removeLast();
      Host host = last.host();
      Host.Spot spot =
          new Host.Spot(true, Optional.of(new Reclaim(NOW, NOW.plusSeconds(420), "wanted")));
      members.add(
          Fixtures.member(
              host.withReport(host.report().withSpot(spot)),
              last.node(),
              last.workload(),
              last.underWay(),
              last.waiting(),
              last.findings()));
      reclaimed++;
    }
    return this;
  }

  private Host host(String name, HostPhase phase, int second) {
    return new Host(
        new HostId(name, "uid-" + name),
        1,
        machine("1", second),
        new Host.Occupancy(
            1,
            Optional.of(
                new Assignment(POOL, "default", "op", NOW.plusSeconds(second), NodeTemplate.EMPTY)),
            "",
            Host.Power.ON),
        DeliveryHistory.CLEAN,
        new Host.Report(phase, 1, "boot", "", NOW));
  }

  private Machine machine(String rack, int slot) {
    return Fixtures.machine(spec.instanceType(), rack, slot);
  }

  private static Node node(Host host, boolean registered) {
    return Fixtures.node(host.id(), "node-" + host.id().uid(), 1)
        .withStatus(NodeConditions.registered(NodeStatus.JOINED, registered));
  }

  public PoolFixture assigning(int count) {
    assigning = count;
    return this;
  }

  /** Holds a machine that was never read; its Node is registered. */
  public PoolFixture unread(String name, String why) {
    unread.add(new PoolSnapshot.Unread(name, why, true));
    return this;
  }

  public PoolFixture free(int count) {
    free = count;
    return this;
  }

  /** Of the free Hosts, this number is available to spot pools. */
  public PoolFixture spotFree(int count) {
    spotFree = count;
    return this;
  }

  public PoolFixture quota(int nodes) {
    quota.put(spec.instanceType(), nodes);
    return this;
  }

  public PoolFixture unqueued() {
    unqueued.add(spec.instanceType());
    return this;
  }

  public PoolFixture lost(String why) {
    lost = Optional.of(why);
    return this;
  }

  /** Another pool with an earlier request. */
  public PoolFixture ahead(String name, int target, int granted, int held) {
    others.add(claim(name, -600, target, granted, held));
    return this;
  }

  /** Another pool with a later request. */
  public PoolFixture behind(String name, int target, int granted, int held) {
    others.add(claim(name, 600, target, granted, held));
    return this;
  }

  private static Claim claim(String name, int second, int target, int granted, int held) {
    return new Claim(
        new PoolId(name, "uid-" + name),
        new Claim.Rank(false, 0, NOW.plusSeconds(second)),
        target,
        target,
        granted,
        Math.max(granted, held),
        held,
        Affinity.any());
  }

  /** The pool's own claim, as its planner makes it. */
  public Claim own() {
    int target = spec().target();
    int granted = growth.map(Growth::granted).orElse(0);
    int held = members.size() + assigning;
    return new Claim(
        id,
        new Claim.Rank(spec.isSpot(), 0, growth.map(Growth::askedAt).orElse(NOW)),
        target,
        target,
        granted,
        Math.max(granted, held),
        held,
        spec.affinity());
  }

  PoolSpec spec() {
    return spec.withNode(new NodeTemplate(labels, annotations, taints));
  }

  public PoolSnapshot seen() {
    return Fixtures.snapshot(
        new Pool(id, version, 1, NOW, Optional.empty(), true, spec(), status),
        growth,
        Fixtures.held(Members.of(members), assigning, unread),
        Fixtures.availability(
            Fixtures.free(IntStream.range(0, free).mapToObj(this::freeHost).toList())
                .withReclaimed(reclaimed),
            others,
            lost.<PoolSnapshot.Offer>map(PoolSnapshot.Offer.Lost::new)
                .orElseGet(() -> new PoolSnapshot.Offer.Known(offer())),
            apiServer),
        false,
        EventLedger.of(status));
  }

  private FreeHosts.FreeHost freeHost(int index) {
    String name = "free-" + index;
    return new FreeHosts.FreeHost(
        new HostId(name, "uid-" + name),
        0,
        machine(index % 2 == 0 ? "1" : "2", index),
        0,
        index < spotFree);
  }

  private FleetOffer offer() {
    return Fixtures.offer(
        "US-EAST-04A",
        "US-EAST-04",
        "org",
        new TreeSet<>(List.of(GPU, RACK, "turin-gp")),
        unqueued,
        quota,
        releases);
  }
}
