package io.nodepool.plan;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The disruption of one spot Node, played through the planners of its pool and of its machine. The
 * pool prefers idle Nodes, and on the Node runs one Pod that a budget never allows to evict, so
 * that each deadline of a drain comes.
 */
final class DisruptionPlay {
  static final Instant START = Given.NOW;
  private static final int STEPS_AT_MOST = 2_000;
  private static final Duration WINDOW = Duration.ofMinutes(7);

  private final MachinePlanner machines =
      new MachinePlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private final PoolPlanner pools = new PoolPlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private final boolean poolFirst;
  private final List<String> events = new ArrayList<>();
  private Instant now = START;
  private Host host = spotHost();
  private Optional<Node> node = Optional.of(spotNode(host));
  private Optional<Pool> pool = Optional.of(spotPool());
  private Optional<Pod> pod = Optional.of(Given.work());
  private Optional<Instant> notice = Optional.empty();
  private Map<String, MachineSnapshot.Attempt> tried = Map.of();
  private boolean poolGone;
  private @Nullable Instant cordonSeen;
  private int cordonOf;
  private @Nullable Action lastAction;
  private Disruption.@Nullable Committed committed;
  private MachineSnapshot.@Nullable Listing listed;
  private long listedVersion;

  /**
   * @param poolFirst whether the pool's plan is carried out before the machine's where both have
   *     something to do, and not the other way round
   */
  DisruptionPlay(boolean poolFirst) {
    this.poolFirst = poolFirst;
  }

  private static Host spotHost() {
    Host host = Given.running("g1");
    Assignment spot = new Assignment(Given.POOL, "spot", "op", START, NodeTemplate.EMPTY);
    return host.withOccupancy(host.occupancy().withAssignment(Optional.of(spot)));
  }

  private static Node spotNode(Host host) {
    return labelled(Given.node(host, 3), NodeLabels.COMPUTE_CLASS.key(), "spot");
  }

  private static Pool spotPool() {
    Pool pool = Given.pool(1, PoolSpec.ScaleDownStrategy.PREFER_IDLE);
    PoolSpec spec = pool.spec();
    return pool.withSpec(spec.withMachines(spec.machines().withComputeClass("spot")));
  }

  private static Node labelled(Node node, String key, String value) {
    return node.withMetadata(
        node.metadata().withLabels(changed(node.metadata().labels(), key, Optional.of(value))));
  }

  private static SortedMap<String, String> changed(
      SortedMap<String, String> values, String key, Optional<String> value) {
    SortedMap<String, String> next = new TreeMap<>(values);
    value.ifPresentOrElse(to -> next.put(key, to), () -> next.remove(key));
    return next;
  }

  /** A cause comes about. */
  void arrives(String cause) {
    switch (cause) {
      case "scale-down" -> pool = pool.map(held -> held.withSpec(held.spec().withTarget(0)));
      case "pool deletion" -> pool = pool.map(held -> held.withDeletionRequested(now));
      case "client's request" ->
          changeNode(seen -> labelled(seen, NodeLabels.REMOVE_NODE.key(), "true"));
      case "orphan" -> pool = Optional.empty();
      case "preemption" -> {
        notice = Optional.of(now);
        reclaimed(Optional.of(new Reclaim(now, now.plus(WINDOW), "wanted")));
      }
      default -> throw new IllegalArgumentException(cause);
    }
  }

  /** What brought a cause about is taken back. */
  void isWithdrawn(String cause) {
    switch (cause) {
      case "scale-down" -> pool = pool.map(held -> held.withSpec(held.spec().withTarget(1)));
      case "client's request" ->
          changeNode(seen ->
              seen.withMetadata(
                  seen.metadata()
                      .withLabels(
                          changed(
                              seen.metadata().labels(),
                              NodeLabels.REMOVE_NODE.key(),
                              Optional.empty()))));
      case "preemption" -> reclaimed(Optional.empty());
      default -> throw new IllegalArgumentException(cause);
    }
  }

  private void reclaimed(Optional<Reclaim> reclaim) {
    host = host.withReport(host.report().withSpot(Host.Spot.OFFERED.withReclaim(reclaim)));
  }

  /** The operator does not run for this long; it observes the cordon anew afterwards. */
  void isAway(Duration away) {
    now = now.plus(away);
    cordonSeen = cordonSeen == null ? null : now;
    tried = Map.of();
    listed = null;
    poolGone = false;
  }

  /** A person uncordons the Node. */
  void isUncordoned() {
    changeNode(seen -> seen.withCordoned(false));
  }

  private interface NodeEdit {
    Node of(Node node);
  }

  private void changeNode(NodeEdit edit) {
    node = node.map(seen -> edit.of(seen).withVersion(seen.version() + 1));
    Disruption.Admitted mark =
        node.filter(Node::cordoned).flatMap(Node::disruption).orElse(null)
                instanceof Disruption.Admitted admitted
            ? admitted
            : null;
    if (mark == null) {
      cordonSeen = null;
    } else if (cordonSeen == null || cordonOf != mark.sequence()) {
      cordonSeen = now;
      cordonOf = mark.sequence();
    }
  }

  /** Plays until this holds, or until nothing happens any more. Returns whether it holds. */
  boolean until(Predicate<DisruptionPlay> holds) {
    for (int steps = 0; steps < STEPS_AT_MOST; steps++) {
      if (holds.test(this)) {
        return true;
      }
      if (!step() && !wait(node.isPresent())) {
        return false;
      }
    }
    throw new IllegalStateException("no end: " + lastAction);
  }

  /** Plays everything that happens at this instant. */
  void settle() {
    for (int steps = 0; step(); steps++) {
      if (steps > STEPS_AT_MOST) {
        throw new IllegalStateException("no end: " + lastAction);
      }
    }
  }

  private boolean step() {
    return poolFirst
        ? take(poolActions()) || take(machineActions())
        : take(machineActions()) || take(poolActions());
  }

  private boolean take(List<PlannedAction> planned) {
    planned.forEach(each -> {
      each.eventDrafts().stream()
          .filter(draft -> draft.regarding().kind() == EventDraft.Kind.NODE)
          .forEach(draft -> events.add(draft.reason().word()));
      apply(each.action());
      lastAction = each.action();
    });
    return !planned.isEmpty();
  }

  private boolean wait(boolean goesOn) {
    Stream<Instant> wakeups =
        Stream.of(
                machinePlan().wakeup(),
                poolPlan().flatMap(PoolPlan::wakeup),
                pod.flatMap(Pod::deletedAt))
            .flatMap(Optional::stream);
    Optional<Instant> next = wakeups.filter(at -> at.isAfter(now)).min(Instant::compareTo);
    next.filter(_ -> goesOn)
        .ifPresent(at -> {
          now = at;
          pod = pod.filter(each -> each.deletedAt().filter(end -> !end.isAfter(at)).isEmpty());
        });
    return goesOn && next.isPresent();
  }

  private MachinePlan machinePlan() {
    MachineSnapshot.Evidence evidence =
        new MachineSnapshot.Evidence(
            Optional.ofNullable(cordonSeen),
            Optional.ofNullable(listed)
                .filter(_ -> node.filter(seen -> seen.version() == listedVersion).isPresent()),
            tried,
            poolGone,
            Optional.empty());
    return machines.plan(Given.machine(host, node, pods(), pool, evidence), now);
  }

  private List<Pod> pods() {
    return pod.stream().toList();
  }

  private List<PlannedAction> machineActions() {
    return node.isEmpty() ? List.of() : machinePlan().plannedActions();
  }

  private Optional<PoolPlan> poolPlan() {
    Member member =
        Given.member(
            host,
            node,
            new Workload(pods().size(), 0, false),
            Optional.empty(),
            Member.Findings.NONE);
    return pool.map(held -> pools.plan(Given.pool(held, List.of(member)), now));
  }

  private List<PlannedAction> poolActions() {
    return poolPlan().stream()
        .flatMap(plan -> plan.plannedActions().stream())
        .filter(planned -> planned.action() instanceof Action.RecordDisruption)
        .toList();
  }

  private void apply(Action action) {
    switch (action) {
      case Action.RecordDisruption record ->
          changeNode(seen -> marked(seen, record.marks()).withDisruption(record.next()));
      case Action.CommitDisruption commit -> {
        committed = commit.next();
        changeNode(seen -> {
          SortedMap<String, String> labels = new TreeMap<>(seen.metadata().labels());
          labels.putAll(commit.labels());
          return seen.withDisruption(Optional.of(commit.next()))
              .withMetadata(seen.metadata().withLabels(labels))
              .withStatus(statusAfter(seen.status(), commit));
        });
      }
      case Action.ReportRemoval report ->
          changeNode(seen -> seen.withStatus(seen.status().withRemoving(report.says())));
      case Action.ReportNode report ->
          changeNode(
              seen -> seen.withStatus(seen.status().withActivity(Optional.of(report.activity()))));
      case Action.ListPods _ -> {
        listed = new MachineSnapshot.Listing(pods(), now);
        listedVersion = node.orElseThrow().version();
      }
      case Action.Confirm _ -> poolGone = pool.isEmpty();
      case Action.EvictPod evict ->
          tried =
              Map.of(
                  evict.subject().uid(),
                  new MachineSnapshot.Attempt(Optional.of("the budget"), now));
      case Action.DeletePod delete ->
          pod =
              pod.map(each ->
                  each.withExecution(
                      each.execution().withEnding(ending(delete.grace().orElse(Duration.ZERO)))));
      case Action.OnHost(HostOperation.Stop _) ->
          host =
              Given.host("g1", HostPhase.STOPPED, 3, Host.Power.OFF)
                  .withOccupancy(host.occupancy().withPower(Host.Power.OFF));
      case Action.DeleteNode _ -> node = Optional.empty();
      default -> throw new IllegalStateException("not part of the play: " + action);
    }
  }

  private Pod.Ending ending(Duration grace) {
    return new Pod.Ending(now.plus(grace), grace);
  }

  private static Node.Status statusAfter(Node.Status status, Action.CommitDisruption commit) {
    Node.Status next = commit.says().isPresent() ? status.withRemoving(commit.says()) : status;
    return Optional.ofNullable(commit.labels().get(NodeLabels.STATE.key()))
        .map(state -> next.withLifecycle(next.lifecycle().withPhase(state)))
        .orElse(next);
  }

  private static Node marked(Node node, DisruptionMarks marks) {
    SortedMap<String, String> labels = new TreeMap<>(node.metadata().labels());
    marks
        .labels()
        .forEach((key, value) ->
            value.ifPresentOrElse(to -> labels.put(key, to), () -> labels.remove(key)));
    boolean cordoned =
        switch (marks.cordoning()) {
          case KEEP -> node.cordoned();
          case CORDON -> true;
          case UNCORDON -> false;
        };
    return node.withCordoned(cordoned).withMetadata(node.metadata().withLabels(labels));
  }

  /** Whether the Node is chosen and cordoned. */
  boolean isMarked() {
    return disruption().filter(Disruption.Admitted.class::isInstance).isPresent();
  }

  /** Whether the Node is marked and its Pods were listed just now. */
  boolean isListed() {
    return isMarked() && lastAction instanceof Action.ListPods;
  }

  /** Whether its drain has begun. */
  boolean isDraining() {
    return disruption().filter(Disruption.Committed.class::isInstance).isPresent();
  }

  /** Whether its Node is deleted. */
  boolean isGone() {
    return node.isEmpty();
  }

  Optional<Disruption> disruption() {
    return node.flatMap(Node::disruption);
  }

  Optional<Node.Removing> removing() {
    return node.flatMap(Node::removing);
  }

  boolean isCordoned() {
    return node.filter(Node::cordoned).isPresent();
  }

  /** The last committed state. */
  Optional<Disruption.Committed> committed() {
    return Optional.ofNullable(committed);
  }

  Optional<Instant> notice() {
    return notice;
  }

  Instant now() {
    return now;
  }

  /** The Events about the Node, in order. */
  List<String> events() {
    return List.copyOf(events);
  }
}
