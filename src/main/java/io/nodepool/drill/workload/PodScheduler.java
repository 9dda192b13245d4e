package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.nodepool.drill.workload.WorkUnit.Slot;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.simulated.cluster.node.NodeBlueprint;
import io.nodepool.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The scheduler, in a virtual world: it places waiting Pods, highest priority first, and preempts
 * Pods of lower priority for a Pod that fits nowhere else.
 */
final class PodScheduler {
  /** The longest delay of a look at waiting Pods, and of a binding. */
  private static final Duration SOON = Duration.ofMillis(500);

  /** Carries out its decisions. */
  interface Deeds {
    /** Binds a Pod to its Node. */
    void bind(Slot slot);

    /** Ends a Pod for another Pod, of higher priority. */
    void preempt(Slot victim, Slot other);

    /** Whether a budget forbids the end of a Pod now. */
    boolean isProtected(Slot slot);
  }

  private final World world;
  private final NodeBlueprint blueprint;
  private final SortedMap<String, PodPriority> priorities;
  private final SplittableRandom random;
  private final Deeds deeds;

  private final SortedMap<String, NodeView> nodes = new TreeMap<>();

  /** The requests of the Pods on each Node, by its name, then by resource. */
  private final Map<String, Map<String, Long>> used = new HashMap<>();

  /** Slots that have a Node, by its name. */
  private final Map<String, Set<Slot>> placed = new HashMap<>();

  /** How many Pods of each workload have a Node. */
  private final Map<WorkloadState, Integer> running = new HashMap<>();

  private final Map<WorkloadState, PodPriority> known = new HashMap<>();

  private final Set<Slot> waiting = new HashSet<>();
  private boolean looks;

  PodScheduler(
      World world,
      NodeBlueprint blueprint,
      SortedMap<String, PodPriority> priorities,
      SplittableRandom random,
      Deeds deeds) {
    this.world = world;
    this.blueprint = blueprint;
    this.priorities = priorities;
    this.random = random;
    this.deeds = deeds;
  }

  /** Observes a Node; returns whether it is new. */
  boolean see(Node node) {
    boolean isNew = !nodes.containsKey(node.name());
    world
        .cluster()
        .host(node.name())
        .flatMap(host ->
            InstanceCatalogue.bundled()
                .find(host.machine().instanceType())
                .map(type -> NodeView.of(node, host, type, blueprint)))
        .ifPresent(view -> nodes.put(node.name(), view));
    look();
    return isNew;
  }

  /** Removes a Node. */
  void gone(String node) {
    nodes.remove(node);
    used.remove(node);
    Set<Slot> there = placed.remove(node);
    if (there != null) {
      there.forEach(slot -> running.merge(slot.unit.of, -1, Integer::sum));
    }
  }

  /** Adds Pods that wait for Nodes. */
  void add(Collection<Slot> slots) {
    waiting.addAll(slots);
    look();
  }

  /** Removes a waiting Pod that is no longer wanted. */
  void remove(Slot slot) {
    waiting.remove(slot);
  }

  boolean waits(Slot slot) {
    return waiting.contains(slot);
  }

  /** Records a Pod on its Node, without a decision. */
  void place(Slot slot, String node) {
    Placement.count(used, node, slot.unit.of.requests, 1);
    placed(slot, node);
  }

  private void placed(Slot slot, String node) {
    slot.node = node;
    placed.computeIfAbsent(node, _ -> new HashSet<>()).add(slot);
    running.merge(slot.unit.of, 1, Integer::sum);
  }

  /** Releases the Node of a Pod. */
  void release(Slot slot) {
    Set<Slot> there = placed.get(slot.node);
    if (there != null && there.remove(slot)) {
      running.merge(slot.unit.of, -1, Integer::sum);
      Placement.count(used, slot.node, slot.unit.of.requests, -1);
    }
    look();
  }

  /** The Node of this name, as the scheduler knows it. */
  Optional<NodeView> view(String node) {
    return Optional.ofNullable(nodes.get(node));
  }

  /** A possible Node of this machine, with these labels and taints of its pool. */
  Optional<NodeView> template(Host host, Map<String, String> labels, List<Taint> taints) {
    return InstanceCatalogue.bundled()
        .find(host.machine().instanceType())
        .map(type -> NodeView.template(host, type, blueprint, labels, taints));
  }

  /**
   * The further Nodes for Pods that fit on no Node and have waited since {@code before}.
   *
   * @param template a further Node
   * @param most the maximum
   */
  int nodesFor(NodeView template, int most, Instant before) {
    List<NodeView> further = new ArrayList<>();
    Placement placement = new Placement(further, new HashMap<>());
    Placement present = new Placement(nodes.values(), Placement.copy(used));
    for (Slot slot : order()) {
      PodSpec spec = spec(slot);
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

  /** Schedules the next look at waiting Pods. */
  private void look() {
    if (!looks && !waiting.isEmpty()) {
      looks = true;
      soon(() -> {
        looks = false;
        schedule();
      });
    }
  }

  private void soon(Runnable what) {
    world.later(Duration.ofNanos(1 + random.nextLong(SOON.toNanos())), what);
  }

  private void schedule() {
    // Room that is reserved for a Pod is not free for Pods of lower priority.
    Map<String, Map<String, Long>> reserved = new HashMap<>();
    Placement placement = new Placement(nodes.values(), used, reserved);
    Set<WorkUnit> tried = new HashSet<>();
    Set<WorkloadState> full = new HashSet<>();
    for (Slot slot : order()) {
      WorkloadState of = slot.unit.of;
      boolean gang = of.workload.work().gang();
      if (gang && !tried.add(slot.unit)) {
        continue;
      }
      List<Slot> together =
          gang ? slot.unit.slots.stream().filter(waiting::contains).toList() : List.of(slot);
      // All Pods of a workload fit on the same Nodes, and room only decreases.
      List<String> found =
          !gang && full.contains(of)
              ? List.of()
              : placement.placeAll(spec(slot), of.requests, together.size());
      for (int i = 0; i < found.size(); i++) {
        assign(together.get(i), found.get(i));
      }
      if (found.isEmpty() && !gang) {
        full.add(of);
        makeRoom(slot, reserved).ifPresent(node -> Placement.count(reserved, node, of.requests, 1));
      }
    }
  }

  private void assign(Slot slot, String node) {
    waiting.remove(slot);
    slot.nominated = "";
    placed(slot, node);
    slot.unit.of.waited(Duration.between(slot.waitsSince, world.instant()));
    soon(() -> {
      if (slot.node.equals(node)) {
        bind(slot);
      }
    });
  }

  /** Binds a Pod; if the Node is gone meanwhile, the Pod waits again. */
  private void bind(Slot slot) {
    if (nodes.containsKey(slot.node)) {
      deeds.bind(slot);
    } else {
      slot.node = "";
      add(List.of(slot));
    }
  }

  /** The Node on which a Pod gets room once preempted Pods have ended. */
  private Optional<String> makeRoom(Slot slot, Map<String, Map<String, Long>> reserved) {
    PodPriority priority = priority(slot);
    if (!priority.preempts() || isLowest(priority)) {
      return Optional.empty();
    }
    if (view(slot.nominated).filter(node -> Placement.admits(node, spec(slot))).isPresent()) {
      return Optional.of(slot.nominated);
    }
    Map<String, List<Preemption.Candidate>> lower = new LinkedHashMap<>();
    nodes.forEach((name, view) -> {
      if (Placement.admits(view, spec(slot))) {
        lower.put(
            name,
            placed.getOrDefault(name, Set.of()).stream()
                .filter(each -> !each.uid.isEmpty() && priority(each).value() < priority.value())
                .map(each ->
                    new Preemption.Candidate(
                        each.uid,
                        each.waitsSince,
                        priority(each).value(),
                        deeds.isProtected(each),
                        each.unit.of.requests))
                .toList());
      }
    });
    Optional<Preemption> found =
        Preemption.best(nodes, used, reserved, lower, slot.unit.of.requests);
    found.ifPresent(each -> {
      slot.nominated = each.node();
      Set<String> victims =
          each.victims().stream().map(Preemption.Candidate::uid).collect(Collectors.toSet());
      placed.getOrDefault(each.node(), Set.of()).stream()
          .filter(there -> victims.contains(there.uid))
          .forEach(victim -> deeds.preempt(victim, slot));
    });
    return found.map(Preemption::node);
  }

  /** The waiting Pods, in the order of placement. */
  private List<Slot> order() {
    return waiting.stream()
        .sorted(
            Comparator.<Slot>comparingInt(slot -> -priority(slot).value())
                .thenComparing(slot -> slot.waitsSince)
                .thenComparing(slot -> slot.unit.workload().id().toString())
                .thenComparingInt(slot -> slot.index))
        .toList();
  }

  private static PodSpec spec(Slot slot) {
    return slot.unit.workload().template().getSpec();
  }

  private PodPriority priority(Slot slot) {
    return priority(slot.unit.of);
  }

  private PodPriority priority(WorkloadState of) {
    return known.computeIfAbsent(
        of, each -> PodPriority.of(each.workload.template().getSpec(), priorities));
  }

  /** Whether no Pod with a Node has a lower priority. */
  private boolean isLowest(PodPriority priority) {
    return running.entrySet().stream()
        .filter(each -> each.getValue() > 0)
        .noneMatch(each -> priority(each.getKey()).value() < priority.value());
  }
}
