package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.nodepool.drill.workload.WorkUnit.Slot;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * The controllers of workloads and the scheduler, in a virtual world: they create Pods, place those
 * that wait, and replace those that end.
 */
public final class WorkloadRunner {
  /** How soon a controller acts at the latest. */
  private static final Duration CONTROLLER = Duration.ofSeconds(1);

  /** How soon the scheduler looks at Pods that wait, and binds them, at the latest. */
  private static final Duration SCHEDULER = Duration.ofMillis(500);

  private final World world;
  private final WorldCluster cluster;
  private final SplittableRandom random;
  private final NodeBlueprint blueprint;
  private final SortedMap<String, Integer> priorities;
  private final List<BudgetRule> budgets;
  private final BiConsumer<WorkloadManifest.Id, List<Pod>> completed;

  /** By Namespace and name. */
  private final SortedMap<String, WorkloadState> workloads = new TreeMap<>();

  /** Those with a Pod that is bound, by its UID. */
  private final Map<String, Slot> bound = new HashMap<>();

  private final Set<Slot> waiting = new HashSet<>();

  private final SortedMap<String, NodeView> nodes = new TreeMap<>();
  private final Map<String, Map<String, Long>> used = new HashMap<>();
  private boolean looks;
  private int names;

  /**
   * Runs workloads in this world from now on.
   *
   * @param priorities the values of priority classes, by name
   * @param completed is told which Pods of a workload are about to go since their work is done
   */
  public WorkloadRunner(
      World world,
      NodeBlueprint blueprint,
      SortedMap<String, Integer> priorities,
      List<BudgetRule> budgets,
      BiConsumer<WorkloadManifest.Id, List<Pod>> completed,
      SplittableRandom random) {
    this.world = world;
    this.cluster = world.cluster();
    this.blueprint = blueprint;
    this.priorities = priorities;
    this.budgets = List.copyOf(budgets);
    this.completed = completed;
    this.random = random;
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
      if (all.isEmpty()) {
        create(new WorkUnit(state, 0, workload.replicas(), world.instant()));
      }
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
      if (all.isEmpty()) {
        create(new WorkUnit(state, 0, job.replicas(), world.instant()));
      }
      return;
    }
    long active = all.stream().filter(unit -> unit.completed.isEmpty()).count();
    for (; active < job.work().atOnce() && all.size() < job.replicas(); active++) {
      create(new WorkUnit(state, all.size(), 1, world.instant()));
    }
  }

  private void create(WorkUnit unit) {
    unit.of.units.add(unit);
    waiting.addAll(unit.slots);
    look();
  }

  /** Its owner ends a Pod. */
  private void end(Slot slot) {
    waiting.remove(slot);
    Slot last = bound.remove(slot.uid);
    if (last != null) {
      release(slot);
      Pod pod = cluster.pods().get(slot.uid);
      if (pod != null) {
        cluster.workloads().delete(slot.uid, world.instant(), pod.eviction().grace());
      }
    }
  }

  private void release(Slot slot) {
    Placement.count(used, slot.node, slot.unit.of.requests, -1);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.NodeSeen(Node node) -> {
        boolean isNew = !nodes.containsKey(node.name());
        view(node);
        if (isNew) {
          startDaemons(node.name());
        }
        look();
      }
      case Observation.NodeGone(String name, String _, long _) -> {
        nodes.remove(name);
        used.remove(name);
      }
      case Observation.HostSeen(Host host) -> follow(host.id().name());
      case Observation.PodSeen(Pod pod) ->
          Optional.ofNullable(bound.get(pod.uid())).ifPresent(slot -> follow(slot.node));
      case Observation.PodGone(String _, String uid, long _) ->
          Optional.ofNullable(bound.remove(uid)).ifPresent(this::gone);
      default -> {
        // Nothing else is of a Node or a Pod.
      }
    }
  }

  private void view(Node node) {
    cluster
        .host(node.name())
        .flatMap(host ->
            InstanceCatalogue.bundled()
                .find(host.machine().instanceType())
                .map(type -> NodeView.of(node, host, type, blueprint)))
        .ifPresent(view -> nodes.put(node.name(), view));
  }

  /** A machine, or a Pod on it, has changed: which Pods run there follows. */
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
    completed.accept(unit.workload().id(), done);
    for (Slot slot : unit.slots) {
      bound.remove(slot.uid);
      release(slot);
      cluster.workloads().finish(slot.uid);
    }
    later(CONTROLLER, () -> createOfJob(unit.of));
    look();
  }

  /** A Pod has gone other than by its owner. */
  private void gone(Slot slot) {
    WorkUnit unit = slot.unit;
    WorkloadManifest.Kind kind = unit.workload().kind();
    if (nodes.containsKey(slot.node)) {
      release(slot);
    }
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
              waiting.add(slot);
              look();
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
      NodeView view = nodes.get(node);
      if (workload.kind() == WorkloadManifest.Kind.DAEMON_SET
          && view != null
          && Placement.admits(view, workload.template().getSpec())) {
        WorkUnit unit = new WorkUnit(state, 0, 1, world.instant());
        state.units.add(unit);
        Slot slot = unit.slots.getFirst();
        slot.node = node;
        Placement.count(used, node, state.requests, 1);
        later(CONTROLLER, () -> bind(slot));
      }
    }
  }

  /** The scheduler looks soon at the Pods that wait. */
  private void look() {
    if (!looks && !waiting.isEmpty()) {
      looks = true;
      later(
          SCHEDULER,
          () -> {
            looks = false;
            schedule();
          });
    }
  }

  private void schedule() {
    Placement placement = new Placement(nodes.values(), used);
    Set<WorkUnit> tried = new HashSet<>();
    for (Slot slot : order()) {
      WorkloadManifest workload = slot.unit.workload();
      PodSpec spec = workload.template().getSpec();
      List<Slot> together =
          workload.work().gang()
              ? slot.unit.slots.stream().filter(waiting::contains).toList()
              : List.of(slot);
      if (workload.work().gang() && !tried.add(slot.unit)) {
        continue;
      }
      List<String> placed = placement.placeAll(spec, slot.unit.of.requests, together.size());
      for (int i = 0; i < placed.size(); i++) {
        Slot each = together.get(i);
        each.node = placed.get(i);
        waiting.remove(each);
        each.unit.of.waited(Duration.between(each.waitsSince, world.instant()));
        later(SCHEDULER, () -> bind(each));
      }
    }
  }

  /** The Pods that wait, in the order in which they are placed. */
  private List<Slot> order() {
    return waiting.stream()
        .sorted(
            Comparator.<Slot>comparingInt(slot -> -priority(slot.unit.workload()))
                .thenComparing(slot -> slot.waitsSince)
                .thenComparing(slot -> slot.unit.workload().id().toString())
                .thenComparingInt(slot -> slot.index))
        .toList();
  }

  /** What the scheduler knows of the Node of this name. */
  Optional<NodeView> view(String node) {
    return Optional.ofNullable(nodes.get(node));
  }

  /** What it would know of a Node of this machine, with these labels and taints of its pool. */
  Optional<NodeView> template(Host host, Map<String, String> labels, List<Taint> taints) {
    return InstanceCatalogue.bundled()
        .find(host.machine().instanceType())
        .map(type -> NodeView.template(host, type, blueprint, labels, taints));
  }

  /**
   * How many further Nodes the Pods need that have waited since before this and fit on none.
   *
   * @param template what each of them would be
   * @param most no more than so many
   */
  int nodesFor(NodeView template, int most, Instant before) {
    List<NodeView> further = new ArrayList<>();
    Placement placement = new Placement(further, new HashMap<>());
    Map<String, Map<String, Long>> usedNow = new HashMap<>();
    used.forEach((node, amounts) -> usedNow.put(node, new HashMap<>(amounts)));
    Placement present = new Placement(nodes.values(), usedNow);
    for (Slot slot : order()) {
      PodSpec spec = slot.unit.workload().template().getSpec();
      if (!slot.waitsSince.isAfter(before)
          && present.place(spec, slot.unit.of.requests).isEmpty()
          && placement.place(spec, slot.unit.of.requests).isEmpty()
          && further.size() < most) {
        NodeView next = template.named("further-" + further.size());
        if (new Placement(List.of(next), new HashMap<>())
            .place(spec, slot.unit.of.requests)
            .isPresent()) {
          further.add(next);
          placement.place(spec, slot.unit.of.requests);
        }
      }
    }
    return further.size();
  }

  private int priority(WorkloadManifest workload) {
    String name = workload.template().getSpec().getPriorityClassName();
    return name == null ? 0 : priorities.getOrDefault(name, 0);
  }

  /** Binds a Pod; if the Node has gone meanwhile it waits again. */
  private void bind(Slot slot) {
    WorkloadManifest workload = slot.unit.workload();
    if (!nodes.containsKey(slot.node)) {
      slot.node = "";
      if (workload.kind() == WorkloadManifest.Kind.DAEMON_SET) {
        slot.unit.of.units.remove(slot.unit);
      } else {
        waiting.add(slot);
        look();
      }
      return;
    }
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

  /** The budget that does not allow the eviction of a Pod now. */
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

  /** What became of the workloads so far, by Namespace and name. */
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
                    .filter(waiting::contains)
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
