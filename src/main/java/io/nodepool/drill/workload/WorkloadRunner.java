package io.nodepool.drill.workload;

import io.nodepool.drill.workload.WorkUnit.Slot;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The controllers of workloads, in a virtual world: they create Pods, which a scheduler places, and
 * replace Pods that end.
 */
public final class WorkloadRunner {
  /** Receives facts that the observations of Pods do not contain. */
  public interface Listener {
    /** Pods of a workload end next, since their work is done. */
    void completed(WorkloadManifest.Id workload, List<Pod> pods);

    /** A Pod ends next for a Pod of another workload. */
    void preempted(Pod pod, WorkloadManifest.Id by);
  }

  /** The longest time until a controller acts. */
  private static final Duration CONTROLLER = Duration.ofSeconds(1);

  private final World world;
  private final WorldCluster cluster;
  private final SplittableRandom random;
  private final List<BudgetRule> budgets;
  private final Listener listener;
  private final PodScheduler scheduler;

  /** By Namespace and name. */
  private final SortedMap<String, WorkloadState> workloads = new TreeMap<>();

  /** Slots with a bound Pod, by its UID. */
  private final Map<String, Slot> bound = new HashMap<>();

  private int names;

  /**
   * Runs workloads in this world from now on.
   *
   * @param priorities the priority classes, by name
   */
  public WorkloadRunner(
      World world,
      NodeBlueprint blueprint,
      SortedMap<String, PodPriority> priorities,
      List<BudgetRule> budgets,
      Listener listener,
      SplittableRandom random) {
    this.world = world;
    this.cluster = world.cluster();
    this.budgets = List.copyOf(budgets);
    this.listener = listener;
    this.random = random;
    this.scheduler = new PodScheduler(world, blueprint, priorities, random, new Deeds());
    cluster.workloads().budgets(this::refusal);
    cluster.watch(
        this::see, WorldCluster.Kind.NODES, WorldCluster.Kind.HOSTS, WorldCluster.Kind.PODS);
  }

  /** Creates a workload, or changes how many Pods it wants. */
  public void apply(WorkloadManifest next) {
    String name = next.id().toString();
    if (cluster.namespaces().find(next.id().namespace()).isEmpty()) {
      cluster.namespaces().create(next.id().namespace());
    }
    WorkloadState state = workloads.computeIfAbsent(name, _ -> new WorkloadState(next));
    state.workload = next;
    switch (next.kind()) {
      case DAEMON_SET -> List.copyOf(cluster.nodes().keySet()).forEach(this::startDaemons);
      case JOB -> createOfJob(state);
      case DEPLOYMENT, STATEFUL_SET, POD -> resize(state);
    }
  }

  private void resize(WorkloadState state) {
    WorkloadManifest workload = state.workload;
    List<WorkUnit> all = state.units;
    if (workload.work().gang()) {
      resizeGang(state);
      return;
    }
    while (all.size() > workload.replicas()) {
      all.removeLast().slots.forEach(this::end);
    }
    while (all.size() < workload.replicas()) {
      create(new WorkUnit(state, all.size(), 1, world.instant()));
    }
  }

  private void createOfJob(WorkloadState state) {
    WorkloadManifest job = state.workload;
    List<WorkUnit> all = state.units;
    if (job.work().gang()) {
      resizeGang(state);
      return;
    }
    long active = all.stream().filter(unit -> unit.completed.isEmpty()).count();
    for (; active < job.work().atOnce() && all.size() < job.replicas(); active++) {
      create(new WorkUnit(state, all.size(), 1, world.instant()));
    }
  }

  /** All Pods of the workload are one unit. */
  private void resizeGang(WorkloadState state) {
    int wanted = state.workload.replicas();
    if (state.units.isEmpty()) {
      create(new WorkUnit(state, 0, wanted, world.instant()));
      return;
    }
    WorkUnit gang = state.units.getFirst();
    if (gang.completed.isPresent() || gang.slots.size() == wanted) {
      return;
    }
    while (gang.slots.size() > wanted) {
      end(gang.slots.removeLast());
    }
    while (gang.slots.size() < wanted) {
      scheduler.add(List.of(gang.another(world.instant())));
    }
    changed(gang);
  }

  private void create(WorkUnit unit) {
    unit.of.units.add(unit);
    scheduler.add(unit.slots);
  }

  /** Its owner ends a Pod. */
  private void end(Slot slot) {
    scheduler.remove(slot);
    scheduler.release(slot);
    slot.node = "";
    if (bound.remove(slot.uid) != null) {
      Pod pod = cluster.pods().get(slot.uid);
      if (pod != null) {
        cluster.workloads().delete(slot.uid, world.instant(), pod.eviction().grace());
      }
    }
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.NodeSeen(Node node) -> {
        if (scheduler.see(node)) {
          startDaemons(node.name());
        }
      }
      case Observation.NodeGone(String name, String _, long _) -> scheduler.gone(name);
      case Observation.HostSeen(Host host) -> follow(host.id().name());
      case Observation.PodSeen(Pod pod) ->
          Optional.ofNullable(bound.get(pod.uid())).ifPresent(slot -> follow(slot.node));
      case Observation.PodGone(String _, String uid, long _) ->
          Optional.ofNullable(bound.remove(uid)).ifPresent(this::gone);
      default -> {
        // Other observations are not about Nodes or Pods.
      }
    }
  }

  /** Updates which Pods run on a machine, after a change of it or of a Pod on it. */
  private void follow(String machine) {
    for (Pod pod : cluster.workloads().boundTo(machine)) {
      Slot slot = bound.get(pod.uid());
      boolean runs = pod.execution().started() && runs(machine);
      if (slot != null && slot.runs != runs) {
        slot.runs = runs;
        changed(slot.unit);
      }
    }
  }

  private boolean runs(String machine) {
    return cluster
        .host(machine)
        .filter(host -> host.is(HostPhase.RUNNING) && host.report().boot().cycle().isEmpty())
        .isPresent();
  }

  private void changed(WorkUnit unit) {
    unit.changed(world.instant());
    unit.done()
        .ifPresent(
            at -> world.later(Duration.between(world.instant(), at), () -> completeIfDone(unit)));
  }

  private void completeIfDone(WorkUnit unit) {
    if (unit.done().filter(at -> !at.isAfter(world.instant())).isEmpty()) {
      return;
    }
    unit.completed = Optional.of(world.instant());
    List<Pod> done =
        unit.slots.stream()
            .flatMap(slot -> Optional.ofNullable(cluster.pods().get(slot.uid)).stream())
            .toList();
    listener.completed(unit.workload().id(), done);
    for (Slot slot : unit.slots) {
      bound.remove(slot.uid);
      scheduler.release(slot);
      cluster.workloads().finish(slot.uid);
    }
    later(CONTROLLER, () -> createOfJob(unit.of));
  }

  /** A Pod is gone that its owner did not end. */
  private void gone(Slot slot) {
    WorkUnit unit = slot.unit;
    WorkloadManifest.Kind kind = unit.workload().kind();
    scheduler.release(slot);
    slot.runs = false;
    slot.uid = "";
    slot.node = "";
    changed(unit);
    if (kind != WorkloadManifest.Kind.DAEMON_SET) {
      unit.of.ended++;
      if (kind != WorkloadManifest.Kind.POD) {
        later(
            CONTROLLER,
            () -> {
              slot.waitsSince = world.instant();
              scheduler.add(List.of(slot));
            });
      }
    } else {
      unit.of.units.remove(unit);
    }
  }

  private void later(Duration atMost, Runnable what) {
    world.later(Duration.ofNanos(1 + random.nextLong(atMost.toNanos())), what);
  }

  private void startDaemons(String node) {
    for (WorkloadState state : workloads.values()) {
      WorkloadManifest workload = state.workload;
      if (workload.kind() == WorkloadManifest.Kind.DAEMON_SET
          && scheduler
              .view(node)
              .filter(view -> Placement.admits(view, workload.template().getSpec()))
              .isPresent()) {
        WorkUnit unit = new WorkUnit(state, 0, 1, world.instant());
        state.units.add(unit);
        Slot slot = unit.slots.getFirst();
        scheduler.place(slot, node);
        later(
            CONTROLLER,
            () -> {
              if (scheduler.view(node).isPresent()) {
                bind(slot);
              } else {
                state.units.remove(unit);
              }
            });
      }
    }
  }

  /** The scheduler, for queries. */
  PodScheduler scheduler() {
    return scheduler;
  }

  /** Carries out the decisions of the scheduler. */
  private final class Deeds implements PodScheduler.Deeds {
    @Override
    public void bind(Slot slot) {
      WorkloadRunner.this.bind(slot);
    }

    @Override
    public void preempt(Slot victim, Slot other) {
      Pod pod = cluster.pods().get(victim.uid);
      if (pod != null && pod.deletedAt().isEmpty()) {
        listener.preempted(pod, other.unit.workload().id());
        cluster.workloads().delete(victim.uid, world.instant(), pod.eviction().grace());
      }
    }

    @Override
    public boolean isProtected(Slot slot) {
      Pod pod = cluster.pods().get(slot.uid);
      return pod != null && refusal(pod).isPresent();
    }
  }

  private void bind(Slot slot) {
    WorkloadManifest workload = slot.unit.workload();
    Pod.Eviction eviction = slot.unit.of.eviction;
    Pod pod =
        cluster
            .workloads()
            .bind(
                workload.id().namespace(),
                name(slot),
                slot.node,
                workload.kind().ownerKind(),
                eviction.interruption(),
                eviction.critical());
    cluster.workloads().grace(pod.uid(), eviction.grace());
    slot.uid = pod.uid();
    bound.put(pod.uid(), slot);
  }

  private String name(Slot slot) {
    String name = slot.unit.workload().id().name();
    return switch (slot.unit.workload().kind()) {
      case STATEFUL_SET -> name + "-" + slot.index;
      case POD -> name;
      case DEPLOYMENT, JOB, DAEMON_SET -> "%s-%05d".formatted(name, ++names);
    };
  }

  /** The budget that forbids the eviction of a Pod now. */
  private Optional<String> refusal(Pod pod) {
    Slot slot = bound.get(pod.uid());
    if (slot == null) {
      return Optional.empty();
    }
    Map<String, String> labels = slot.unit.workload().labels();
    return budgets.stream()
        .filter(budget -> budget.namespace().equals(pod.namespace()))
        .filter(budget -> budget.protects(labels))
        .filter(budget -> !allows(budget))
        .map(BudgetRule::toString)
        .findFirst();
  }

  private boolean allows(BudgetRule budget) {
    List<Slot> all =
        workloads.values().stream()
            .flatMap(state -> state.units.stream())
            .filter(unit -> unit.workload().id().namespace().equals(budget.namespace()))
            .filter(unit -> budget.protects(unit.workload().labels()))
            .filter(unit -> unit.completed.isEmpty())
            .flatMap(unit -> unit.slots.stream())
            .toList();
    long healthy = all.stream().filter(slot -> slot.runs && isLasting(slot)).count();
    return healthy - 1 >= budget.least(all.size());
  }

  private boolean isLasting(Slot slot) {
    Pod pod = cluster.pods().get(slot.uid);
    return pod != null && pod.deletedAt().isEmpty();
  }

  /** The figures of the workloads so far, by Namespace and name. */
  public SortedMap<String, WorkloadFigures> figures() {
    SortedMap<String, WorkloadFigures> figures = new TreeMap<>();
    workloads.forEach((name, state) -> {
      if (state.workload.kind() != WorkloadManifest.Kind.DAEMON_SET) {
        figures.put(name, figures(state));
      }
    });
    return figures;
  }

  private WorkloadFigures figures(WorkloadState state) {
    Instant now = world.instant();
    List<WorkUnit> all = state.units;
    List<Slot> open =
        all.stream()
            .filter(unit -> unit.completed.isEmpty())
            .flatMap(unit -> unit.slots.stream())
            .toList();
    Duration longest =
        Stream.concat(
                Stream.of(state.waited),
                open.stream()
                    .filter(scheduler::waits)
                    .map(slot -> Duration.between(slot.waitsSince, now)))
            .max(Duration::compareTo)
            .orElseThrow();
    return new WorkloadFigures(
        state.workload.replicas(),
        (int) open.stream().filter(slot -> slot.runs).count(),
        (int) open.stream().filter(Slot::waits).count(),
        (int)
            all.stream()
                .filter(unit -> unit.completed.isPresent())
                .mapToLong(unit -> unit.slots.size())
                .sum(),
        state.ended,
        sum(all.stream().map(unit -> unit.lost)),
        longest,
        sum(all.stream().map(unit -> unit.effective(now))),
        sum(all.stream().map(unit -> unit.existed(now))));
  }

  private static Duration sum(Stream<Duration> all) {
    return all.reduce(Duration.ZERO, Duration::plus);
  }
}
