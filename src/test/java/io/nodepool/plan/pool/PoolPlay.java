package io.nodepool.plan.pool;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Disruptions;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.occurrence.MemberChange;
import io.nodepool.plan.occurrence.MissedOccurrences;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Publishes the successive plans of one pool, using only its planner. */
public final class PoolPlay {
  static final String TYPE = "gd-8xh100ib-i128";
  static final PoolId ID = new PoolId("a", "pool-uid");
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");

  private final PoolPlanner planner =
      new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS);
  private final List<EventDraft> emitted = new ArrayList<>();
  private Instant now = START;
  private Pool pool =
      new Pool(ID, 1, 1, START, Optional.empty(), true, Fixtures.spec(0), PoolStatus.NONE);
  private final SortedMap<Integer, Member> members = new TreeMap<>();
  private EventLedger ledger = EventLedger.NONE;
  private int free;
  private int quota = 100;
  private boolean lost;

  public PoolPlay target(int target) {
    pool = pool.withVersion(pool.version() + 1).withSpec(Fixtures.spec(target));
    return this;
  }

  /** Sets the number of free machines. */
  public PoolPlay free(int machines) {
    free = machines;
    return this;
  }

  PoolPlay quota(int limit) {
    quota = limit;
    return this;
  }

  /** Registers this number of Nodes, from the first slot. */
  public PoolPlay nodes(int registered) {
    for (int slot = 0; slot < registered; slot++) {
      if (!members.containsKey(slot)) {
        joins(slot);
      }
    }
    List.copyOf(members.tailMap(registered).keySet()).forEach(this::vanishes);
    return this;
  }

  /** A Node joins and is registered. */
  public PoolPlay joins(int slot) {
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, false, null, null)));
  }

  /** Another client cordons a Node. */
  public PoolPlay isCordonedByHand(int slot) {
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, true, null, null)));
  }

  /** Admits a disruption of a Node, and cordons it if it was not cordoned. */
  public PoolPlay isAdmitted(int slot) {
    boolean own = member(slot).node().filter(Node::cordoned).isEmpty();
    Disruption admitted = Disruptions.admitted(CandidateRank.IDLE, now.plusNanos(slot), own);
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, true, admitted, null)));
  }

  /** Admits a disruption of a Node for this cause, and cordons it. */
  public PoolPlay isAdmitted(int slot, KnownCause cause) {
    Disruption admitted = Disruptions.admitted(cause, now.plusNanos(slot), true);
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, true, admitted, null)));
  }

  /** Withdraws the admission, and the cordon if it was set with it. */
  public PoolPlay isTakenBack(int slot) {
    boolean own = member(slot).revocable().orElseThrow().cordon() == Disruption.Cordon.OURS;
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, !own, null, null)));
  }

  /** Ends the disruption of a Node, which stays and is uncordoned. */
  public PoolPlay isBack(int slot) {
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, false, null, null)));
  }

  /** Sets the stage of the Node's removal. */
  public PoolPlay isAt(int slot, NodeRemovalReason reason) {
    DrainStage stage =
        switch (reason) {
          case DRAINING -> DrainStage.BEGUN;
          case BLOCKED_BY_BUDGET -> DrainStage.BLOCKED;
          case FORCED -> DrainStage.FORCED;
          case MARKED, DETACHING, VERIFYING, TERMINATING, PRESERVED, AWAITING_FINALIZERS ->
              DrainStage.NONE;
        };
    Disruption removal =
        Disruptions.committed(CandidateRank.IDLE, now, now.plusSeconds(1800))
            .withDrain(drainOf(slot))
            .withDrain(stage);
    return becomes(slot, host(slot, Host.Power.ON), Optional.of(node(slot, true, removal, reason)));
  }

  private DrainStage drainOf(int slot) {
    return member(slot).disruption().orElse(null) instanceof Disruption.Committed committed
        ? committed.drain()
        : DrainStage.NONE;
  }

  /** Its machine is told to stop. */
  public PoolPlay isStopped(int slot) {
    return becomes(slot, host(slot, Host.Power.OFF), member(slot).node());
  }

  /** Stops its machine and deletes its Node. */
  public PoolPlay isRemoved(int slot) {
    isStopped(slot);
    return becomes(slot, host(slot, Host.Power.OFF), Optional.empty());
  }

  /** Another client deletes its Node; the machine keeps running. */
  public PoolPlay isDeletedByHand(int slot) {
    return becomes(slot, host(slot, Host.Power.ON), Optional.empty());
  }

  /** Removes its Host from the pool. */
  public PoolPlay vanishes(int slot) {
    ledger =
        new MemberChange(
                Optional.ofNullable(members.remove(slot)), Optional.empty(), MemberChange.Left.GONE)
            .counted(ledger);
    return this;
  }

  private PoolPlay becomes(int slot, Host host, Optional<Node> node) {
    Member member =
        Fixtures.member(
            host, node, Workload.NONE, Optional.empty(), Optional.empty(), Member.Findings.NONE);
    Optional<Member> before = Optional.ofNullable(members.put(slot, member));
    ledger = new MemberChange(before, Optional.of(member), MemberChange.Left.GONE).counted(ledger);
    return this;
  }

  private Member member(int slot) {
    return Optional.ofNullable(members.get(slot)).orElseThrow();
  }

  /** Replaces the operator process by one that knows only what is published. */
  public PoolPlay restart() {
    ledger = MissedOccurrences.ledger(pool.status(), Members.of(members.values()));
    return this;
  }

  /** Applies a status that was sent long ago. */
  public PoolPlay late(PoolStatus status) {
    return seen(status);
  }

  /** Makes the fleet's offer unreadable, or readable again. */
  PoolPlay lost(boolean unreadable) {
    lost = unreadable;
    return this;
  }

  /** Plans once, emits the Events and publishes the status. */
  public PoolPlay publish() {
    now = now.plusSeconds(60);
    PoolPlan plan = planner.plan(seen(), now);
    if (!plan.status().equals(pool.status())) {
      emitted.addAll(plan.eventDrafts());
      seen(plan.status());
    }
    return this;
  }

  private PoolPlay seen(PoolStatus status) {
    pool = pool.withVersion(pool.version() + 1).withStatus(status);
    ledger = ledger.published(status);
    return this;
  }

  private PoolSnapshot seen() {
    return Fixtures.snapshot(
        pool,
        pool.status().growth(),
        Fixtures.held(members.values()),
        Fixtures.availability(
            Fixtures.free(IntStream.range(0, free).mapToObj(PoolPlay::freeHost).toList()),
            List.of(),
            lost
                ? new PoolSnapshot.Offer.Lost("no offer")
                : new PoolSnapshot.Offer.Known(
                    Fixtures.offer(
                        "Z",
                        "R",
                        "org",
                        new TreeSet<>(List.of(TYPE)),
                        new TreeSet<>(),
                        new TreeMap<>(Map.of(TYPE, quota)),
                        List.of(FleetRelease.whole("ncore-1", List.of()))))),
        false,
        ledger);
  }

  private static Machine machine(int slot) {
    return Fixtures.machine(Fixtures.TYPE, "1", slot);
  }

  private static FreeHosts.FreeHost freeHost(int slot) {
    return new FreeHosts.FreeHost(
        new HostId("free-" + slot, "free-uid-" + slot), 0, machine(slot), 0, false);
  }

  private static Host host(int slot, Host.Power power) {
    return new Host(
        new HostId("g" + slot, "h-" + slot),
        1,
        machine(slot),
        new Host.Occupancy(1, Optional.of(Fixtures.assignment(ID)), "ncore-1", power),
        DeliveryHistory.CLEAN,
        new Host.Report(
            power == Host.Power.ON ? HostPhase.RUNNING : HostPhase.STOPPED,
            1,
            "boot",
            "ncore-1",
            START));
  }

  private Node node(
      int slot,
      boolean cordoned,
      @Nullable Disruption removal,
      @Nullable NodeRemovalReason reason) {
    return Fixtures.node(new HostId("g" + slot, "h-" + slot), "n-" + slot, 1)
        .withMetadata(NodeMetadata.NONE.withApplied(Optional.of(NodeTemplate.EMPTY)))
        .withCordoned(cordoned)
        .withDisruption(Optional.ofNullable(removal))
        .withStatus(
            NodeConditions.removing(
                NodeConditions.registered(NodeStatus.JOINED, true),
                Optional.ofNullable(reason).map(at -> new Node.Removing(at, ""))));
  }

  /** How often an Event of this reason was emitted since the last call. */
  int emitted(EventReason reason) {
    int times =
        (int)
            emitted.stream().filter(eventDraft -> eventDraft.reason() == reason).distinct().count();
    emitted.removeIf(eventDraft -> eventDraft.reason() == reason);
    return times;
  }

  /** The sum of the counts of the pool's Events with this reason. */
  public int counted(EventReason reason) {
    Map<String, Integer> counts = new TreeMap<>();
    emitted.stream()
        .filter(eventDraft -> eventDraft.reason() == reason)
        .forEach(eventDraft -> counts.put(eventDraft.occasion(), eventDraft.count()));
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The message of the last Event of this reason. */
  public String message(EventReason reason) {
    return emitted.stream()
        .filter(eventDraft -> eventDraft.reason() == reason)
        .reduce((earlier, later) -> later)
        .map(EventDraft::message)
        .orElse("");
  }

  public PoolStatus status() {
    return pool.status();
  }
}
