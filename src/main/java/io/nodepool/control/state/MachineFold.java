package io.nodepool.control.state;

import io.nodepool.control.state.machine.Interner;
import io.nodepool.control.state.machine.PastRepairTable;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Folds observations of Hosts and Nodes. Confined to the decision thread.
 *
 * @param metadata the Nodes of a pool have equal metadata, so 50,000 Nodes share a few instances
 * @param clock the operator's only clock, which does not jump
 */
record MachineFold(
    PoolTable pools,
    MachineTable machines,
    FreeHostTable free,
    PastRepairTable past,
    Freshness freshness,
    Interner<NodeMetadata> metadata,
    Wakeups wakeups,
    InstantSource clock) {
  /** Folds a state of a Host. */
  void seen(Host host) {
    MachineEntry machine = machines.make(host.id().name());
    Host last = machine.host;
    if (!isNews(machine, host.id().uid(), host.version(), last, Host::version)) {
      return;
    }
    if (last != null) {
      unlink(machine, last);
    }
    hostRead(machine);
    link(machine, host);
    recorded(Optional.ofNullable(last), Optional.of(host));
  }

  private <T> boolean isNews(
      MachineEntry machine,
      String uid,
      long version,
      @Nullable T last,
      ToLongFunction<T> versionOf) {
    boolean news = freshness.isNews(uid, version, last, versionOf);
    if (!news) {
      machines.dropIfUnused(machine);
    }
    return news;
  }

  private void recorded(Optional<Host> last, Optional<Host> next) {
    past.update(last, next).forEach(pools::wake);
  }

  /** Adds a Host to the tables that its state belongs to. */
  private void link(MachineEntry machine, Host host) {
    machine.host = host;
    host.assignment()
        .ifPresent(
            assignment -> pools.make(assignment.pool().uid()).assigning.remove(host.id().uid()));
    pools.wakeHolder(machine.name);
    updateFree(machine);
    wakeups.machine(machine.name);
  }

  /** Removes a Host from the tables that its last state added it to. */
  private void unlink(MachineEntry machine, Host last) {
    free.remove(machine, last);
    pools.wakeHolder(machine.name);
  }

  /** Folds an unreadable state of a Host. */
  void seen(Observation.HostUnreadable seen) {
    HostId id = seen.host();
    MachineEntry machine = machines.make(id.name());
    Host last = machine.host;
    if (isNews(machine, id.uid(), seen.version(), last, Host::version)) {
      machine.unreadableHost = new MachineEntry.Unreadable(id.uid(), seen.why());
      if (last == null && !seen.poolUid().isEmpty()) {
        forgetUnreadHolder(machine);
        // It counts for the pool that holds it, although it was never read.
        machine.unreadHolder = seen.poolUid();
        pools.make(seen.poolUid()).unread.add(machine.name);
        pools.wake(seen.poolUid());
      }
      nodeChanged(machine);
    }
  }

  /** Discards the unreadable state of a Host that can be read again, or that no longer exists. */
  private void hostRead(MachineEntry machine) {
    forgetUnreadHolder(machine);
    machine.unreadableHost = null;
  }

  private void forgetUnreadHolder(MachineEntry machine) {
    if (!machine.unreadHolder.isEmpty()) {
      pools.make(machine.unreadHolder).unread.remove(machine.name);
      pools.wake(machine.unreadHolder);
      pools.dropIfUnused(machine.unreadHolder);
      machine.unreadHolder = "";
    }
  }

  /** Folds that a Host no longer exists. */
  void gone(HostId host, ClusterState.Source source) {
    if (source == ClusterState.Source.ANSWER && machines.names(host)) {
      machines.make(host.name()).hostGone = host.uid();
      wakeups.machine(host.name());
    }
    if (source == ClusterState.Source.WATCH || machines.knows(host)) {
      freshness.gone(host.uid(), source);
      forgetHost(host);
    }
  }

  private void forgetHost(HostId host) {
    MachineEntry machine = machines.find(host.name());
    if (machine == null) {
      return;
    }
    if (isOf(machine.unreadableHost, host.uid())) {
      hostRead(machine);
      wakeups.machine(machine.name);
    }
    Host last = machine.host;
    if (last != null && last.id().uid().equals(host.uid())) {
      unlink(machine, last);
      recorded(Optional.of(last), Optional.empty());
      machine.host = null;
      machines.changed(machine);
      wakeups.machine(machine.name);
    }
    machines.dropIfUnused(machine);
  }

  private static boolean isOf(MachineEntry.@Nullable Unreadable seen, String uid) {
    return seen != null && seen.uid().equals(uid);
  }

  /** Folds a state of a Node. */
  void seen(Node node) {
    MachineEntry machine = machines.make(node.name());
    Node last = machine.node;
    if (isNews(machine, node.uid(), node.version(), last, Node::version)) {
      machine.unreadableNode = null;
      machine.node = node.withMetadata(metadata.one(node.metadata()));
      machine.requests.changed(last, machine.node, clock.instant());
      nodeChanged(machine);
    }
  }

  /** Folds an unreadable state of a Node. */
  void seen(Observation.NodeUnreadable seen) {
    MachineEntry machine = machines.make(seen.name());
    if (isNews(machine, seen.uid(), seen.version(), machine.node, Node::version)) {
      machine.unreadableNode = new MachineEntry.Unreadable(seen.uid(), seen.why());
      nodeChanged(machine);
    }
  }

  /** Folds that a Node no longer exists. */
  void nodeGone(String name, String uid, ClusterState.Source source) {
    freshness.gone(uid, source);
    MachineEntry machine = machines.find(name);
    if (machine == null) {
      return;
    }
    boolean wasUnreadable = isOf(machine.unreadableNode, uid);
    boolean wasKnown = machine.node != null && machine.node.uid().equals(uid);
    if (wasUnreadable) {
      machine.unreadableNode = null;
    }
    if (wasKnown) {
      machine.requests.changed(machine.node, null, clock.instant());
      machine.node = null;
    }
    if (wasUnreadable || wasKnown) {
      nodeChanged(machine);
      machines.dropIfUnused(machine);
    }
  }

  private void nodeChanged(MachineEntry machine) {
    machine.nodeChanged(clock.instant());
    machines.changed(machine);
    wakeups.machine(machine.name);
    updateFree(machine);
    pools.wakeHolder(machine.name);
  }

  /** Records the result of a live read of a machine. */
  void read(Observation.MachineRead read) {
    String name = read.host().name();
    MachineEntry machine = machines.find(name);
    if (machine != null && machine.reads.read(read, machine.host, clock.instant())) {
      machines.replan(name);
      pools.wakeHolder(name);
    }
  }

  /** Updates whether a Host is free; a newly free Host wakes the pools that want more Hosts. */
  void updateFree(MachineEntry machine) {
    Host host = machine.host;
    if (host != null) {
      Instant now = clock.instant();
      machine.watch.changed(host, machine.node, now);
      machines.changed(machine);
      if (free.update(machine, host, now)) {
        pools.wakeWanting(host.machine().instanceType());
      }
      free.suspected().update(machine, host).ifPresent(pools::wake);
    }
  }
}
