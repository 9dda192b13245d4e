package io.nodepool.control.state;

import io.nodepool.fleet.HostId;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import java.util.List;
import java.util.Optional;

/**
 * The objects that exist and cannot be read, and whether each was reported. Confined to the
 * decision thread.
 */
public record UnreadableObjects(PoolTable pools, MachineTable machines) {
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
   * @param subject the object that cannot be read
   */
  public record UnreadableMachine(String nodeUid, Action.Subject subject, String why) {}

  /** The unreadable object of this machine; empty once it was reported. */
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
