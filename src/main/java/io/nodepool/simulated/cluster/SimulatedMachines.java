package io.nodepool.simulated.cluster;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Messages;
import io.nodepool.simulated.DataCentre;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of a data centre, folded from observations. Within a UID the newer version wins. The
 * cost of each fold does not grow with the data centre, and each fold wakes the keys that it may
 * affect. Confined to the data centre's thread.
 */
final class SimulatedMachines {
  private static final int NAMED = 5;

  private final Map<String, SimulatedMachine> machines = new HashMap<>();
  private final Map<String, String> nodeOfPod = new HashMap<>();
  private final Consumer<FleetKey> wake;

  /** Names of machines whose Hosts are surplus. */
  private final TreeSet<String> surplus = new TreeSet<>();

  private int hosts;
  private int free;

  /**
   * @param wake receives the keys to reconcile again
   */
  SimulatedMachines(Consumer<FleetKey> wake) {
    this.wake = wake;
  }

  /** The number of Hosts that exist and have a status. */
  int hosts() {
    return hosts;
  }

  /** The number of Hosts that may be assigned now. */
  int free() {
    return free;
  }

  /**
   * The Hosts that a change of the spec waits for, as a sentence: they are in use, but have no slot
   * or a slot of another kind. Empty if there are none.
   */
  Optional<String> leftover() {
    return surplus.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s: %s."
                .formatted(
                    surplus.size() == 1
                        ? "1 Host is not in the spec any more, or as another machine, and stays until it is free"
                        : surplus.size()
                            + " Hosts are not in the spec any more, or as other machines, and stay until they are free",
                    Messages.list(surplus.stream().limit(NAMED).toList(), NAMED, surplus.size())));
  }

  /** The machine of this name, if it was observed or described. */
  Optional<SimulatedMachine> find(String name) {
    return Optional.ofNullable(machines.get(name));
  }

  /** The Hosts of all machines that have one. */
  Stream<Host> observedHosts() {
    return machines.values().stream().flatMap(machine -> Stream.ofNullable(machine.host));
  }

  /** The machine to whose Node a Pod is bound. */
  Optional<SimulatedMachine> ofPod(String uid) {
    return Optional.ofNullable(nodeOfPod.get(uid)).flatMap(this::find);
  }

  /** Sets the machines of the data centre. */
  void describe(List<DataCentre.Slot> slots) {
    Set<String> named = new HashSet<>();
    for (DataCentre.Slot slot : slots) {
      named.add(slot.host());
      place(machine(slot.host()), slot);
    }
    for (SimulatedMachine machine : List.copyOf(machines.values())) {
      if (!named.contains(machine.name)) {
        place(machine, null);
        dropIfUnused(machine);
      }
      wake.accept(new FleetKey.OfMachine(machine.name));
    }
  }

  private void place(SimulatedMachine machine, DataCentre.@Nullable Slot slot) {
    count(machine, -1);
    machine.slot = slot;
    count(machine, 1);
  }

  /** Wakes every key. */
  void wakeAll() {
    machines.keySet().forEach(name -> wake.accept(new FleetKey.OfMachine(name)));
    machines.keySet().forEach(name -> wake.accept(new FleetKey.OfKubelet(name)));
    nodeOfPod.keySet().forEach(uid -> wake.accept(new FleetKey.OfPod(uid)));
  }

  /**
   * Observes a Host.
   *
   * @param host with times of the data centre's own clock
   * @return whether the observation is new
   */
  boolean hostSeen(Host host, Sightings.SeenHost seen) {
    SimulatedMachine machine = machine(host.id().name());
    Host last = machine.host;
    if (machine.ended.contains(host.id().uid())
        || machine.unreadable >= host.version()
        || (last != null && last.version() >= host.version())) {
      dropIfUnused(machine);
      return false;
    }
    machine.unreadable = 0;
    count(machine, -1);
    boolean served = machine.isServing();
    machine.host = host;
    machine.unreported = seen.unreported();
    machine.reclaimRequest = seen.reclaimRequest();
    machine.bootToLeave = seen.bootToLeave();
    count(machine, 1);
    changed(machine, served);
    return true;
  }

  /** Observes a Host that cannot be read; its machine remains as it is. */
  void hostUnreadable(String name, long version) {
    SimulatedMachine machine = machine(name);
    machine.unreadable = Math.max(machine.unreadable, version);
  }

  /**
   * Observes the deletion of a Host.
   *
   * @param answerAwaited whether an answer is pending, which may still show the Host
   */
  void hostGone(String name, String uid, boolean answerAwaited) {
    SimulatedMachine machine = machine(name);
    if (answerAwaited) {
      machine.ended.add(uid);
    }
    boolean wasUnreadable = machine.unreadable > 0;
    machine.unreadable = 0;
    if (machine.host != null && machine.host.id().uid().equals(uid)) {
      count(machine, -1);
      machine.host = null;
      changed(machine, true);
    } else if (wasUnreadable) {
      changed(machine, false);
    }
    dropIfUnused(machine);
  }

  /** Observes a Node. */
  void nodeSeen(String name, SimulatedMachine.SeenNode node, Map<String, String> labels) {
    SimulatedMachine machine = machine(name);
    if (machine.ended.contains(node.uid())
        || (machine.node != null && machine.node.version() >= node.version())) {
      dropIfUnused(machine);
      return;
    }
    boolean served = machine.isServing();
    machine.node = node;
    machine.labels = labels;
    changed(machine, served);
  }

  /** Observes the deletion of a Node; {@code answerAwaited} as for a Host. */
  void nodeGone(String name, String uid, boolean answerAwaited) {
    SimulatedMachine machine = machine(name);
    if (answerAwaited) {
      machine.ended.add(uid);
    }
    if (machine.node != null && machine.node.uid().equals(uid)) {
      machine.node = null;
      changed(machine, true);
    }
    dropIfUnused(machine);
  }

  /** Called when no answer about the machine is pending any more. */
  void answered(String name) {
    find(name)
        .ifPresent(machine -> {
          machine.ended.clear();
          dropIfUnused(machine);
        });
  }

  /**
   * Observes a Pod that is bound to a Node.
   *
   * @param watching whether everything was listed already
   */
  void podSeen(SimulatedMachine.SeenPod seen, boolean watching, Instant now) {
    Pod pod = seen.pod();
    SimulatedMachine machine = machine(pod.nodeName());
    SimulatedMachine.SeenPod last = machine.pods.get(pod.uid());
    if (last == null || last.pod().version() < pod.version()) {
      Pod local = machine.endings.local(pod, watching, now);
      machine.pods.put(pod.uid(), seen.withPod(local));
      nodeOfPod.put(pod.uid(), pod.nodeName());
      wake.accept(new FleetKey.OfPod(pod.uid()));
    }
  }

  /** Observes the deletion of a Pod. */
  void podGone(String uid) {
    String node = nodeOfPod.remove(uid);
    if (node != null) {
      SimulatedMachine machine = machine(node);
      machine.pods.remove(uid);
      machine.endings.forget(uid);
      dropIfUnused(machine);
      wake.accept(new FleetKey.OfPod(uid));
    }
  }

  private void changed(SimulatedMachine machine, boolean served) {
    wake.accept(new FleetKey.OfMachine(machine.name));
    wake.accept(new FleetKey.OfKubelet(machine.name));
    wake.accept(FleetKey.Report.STATUS);
    if (!served && machine.isServing()) {
      machine.pods.keySet().forEach(uid -> wake.accept(new FleetKey.OfPod(uid)));
    }
  }

  private void count(SimulatedMachine machine, int sign) {
    if (machine.host != null && !machine.unreported) {
      hosts += sign;
      free += machine.isFree() ? sign : 0;
    }
    if (machine.isSurplus() && !machine.unreported && !machine.isFree()) {
      if (sign > 0) {
        surplus.add(machine.name);
      } else {
        surplus.remove(machine.name);
      }
    }
  }

  private SimulatedMachine machine(String name) {
    return machines.computeIfAbsent(name, SimulatedMachine::new);
  }

  private void dropIfUnused(SimulatedMachine machine) {
    if (machine.isUnused() && machine.ended.isEmpty()) {
      machines.remove(machine.name);
    }
  }
}
