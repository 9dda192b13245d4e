package io.nodepool.control.state;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The objects that exist and cannot be read, and whether each was reported. Confined to the
 * decision thread.
 */
public record UnreadableObjects(PoolTable pools, MachineTable machines, Freshness freshness) {
  /** Records an unreadable state of a Host. */
  void host(Observation.HostUnreadable seen, Set<ReconcileKey> keys) {
    HostId id = seen.host();
    MachineEntry machine = machines.make(id.name());
    Host last = machine.host;
    if (isNews(
        machine, id.uid(), seen.version(), last == null ? Freshness.NEVER : last.version())) {
      machine.unreadableHost = new MachineEntry.Unreadable(id.uid(), seen.why());
      if (last == null && !seen.poolUid().isEmpty()) {
        forgetHolder(machine, keys);
        // It counts for the pool that holds it, although it was never read.
        machine.unreadHolder = seen.poolUid();
        pools.make(seen.poolUid()).unread.add(machine.name);
        pools.wake(seen.poolUid(), keys);
      }
      machines.nodeChanged(machine, keys);
    }
  }

  /** Records an unreadable state of a Node. */
  void node(Observation.NodeUnreadable seen, Set<ReconcileKey> keys) {
    MachineEntry machine = machines.make(seen.name());
    Node last = machine.node;
    if (isNews(
        machine, seen.uid(), seen.version(), last == null ? Freshness.NEVER : last.version())) {
      machine.unreadableNode = new MachineEntry.Unreadable(seen.uid(), seen.why());
      machines.nodeChanged(machine, keys);
    }
  }

  private boolean isNews(MachineEntry machine, String uid, long version, long last) {
    boolean news = freshness.isNews(uid, version, last);
    if (!news) {
      machines.dropIfUnused(machine);
    }
    return news;
  }

  /** Discards the unreadable state of a Host that can be read again, or that no longer exists. */
  void hostRead(MachineEntry machine, Set<ReconcileKey> keys) {
    forgetHolder(machine, keys);
    machine.unreadableHost = null;
  }

  private void forgetHolder(MachineEntry machine, Set<ReconcileKey> keys) {
    if (!machine.unreadHolder.isEmpty()) {
      pools.make(machine.unreadHolder).unread.remove(machine.name);
      pools.wake(machine.unreadHolder, keys);
      pools.dropIfUnused(machine.unreadHolder);
      machine.unreadHolder = "";
    }
  }

  /** The number of pools and machines with something unreadable. */
  public int count() {
    return (int)
        (pools.stream().filter(entry -> entry.unreadable != null).count()
            + machines.stream().filter(machine -> machine.unreadable().isPresent()).count());
  }

  /**
   * A machine that cannot be read.
   *
   * @param nodeUid the UID of its Node, or empty text if none was ever read
   * @param subject what cannot be read
   */
  public record UnreadableMachine(String nodeUid, Action.Subject subject, String why) {}

  /** What of this machine cannot be read; empty once that was reported. */
  public Optional<UnreadableMachine> unreported(String machineName) {
    MachineEntry machine = machines.find(machineName);
    if (machine == null || machine.unreadable().isEmpty()) {
      return Optional.empty();
    }
    MachineEntry.Unreadable unreadable = machine.unreadable().get();
    if (machine.unreadableSaid.equals(unreadable.why())) {
      return Optional.empty();
    }
    String nodeUid =
        machine.unreadableNode != null
            ? machine.unreadableNode.uid()
            : machine.node == null ? "" : machine.node.uid();
    return Optional.of(
        new UnreadableMachine(
            nodeUid,
            machine.unreadableHost != null
                ? new Action.Subject.OfHost(new HostId(machineName, unreadable.uid()))
                : new Action.Subject.OfNode(machineName, unreadable.uid()),
            unreadable.why()));
  }

  /** Records that these Events were emitted. */
  void reported(List<EventDraft> eventDrafts) {
    for (EventDraft eventDraft : eventDrafts) {
      if (eventDraft.reason() == EventReason.OBJECT_UNREADABLE) {
        reported(eventDraft.regarding(), eventDraft.occasion());
      }
    }
  }

  private void reported(EventDraft.Regarding regarding, String why) {
    switch (regarding.kind()) {
      case NODE ->
          Optional.ofNullable(machines.find(regarding.name()))
              .ifPresent(machine -> machine.unreadableSaid = why);
      case POOL -> {
        PoolEntry entry = pools.find(regarding.uid());
        if (entry != null && entry.unreadable != null) {
          entry.unreadable = entry.unreadable.afterReporting(why);
        }
      }
      case NAMESPACE -> {}
    }
  }
}
