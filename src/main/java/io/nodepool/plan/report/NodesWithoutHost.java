package io.nodepool.plan.report;

import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.Collection;
import java.util.stream.Stream;
import org.pcollections.TreePMap;

/**
 * Busy Nodes of a pool whose Host was deleted. They are no members of the pool and keep their names
 * until their work ends, so the pool reports them, and what they wait for (decision D189).
 */
public final class NodesWithoutHost {
  private static final String MESSAGE_START = " Without a Host, and kept until their work ends: ";

  private NodesWithoutHost() {}

  /**
   * This finding, with the Nodes in its message. A published message that another operator repeats
   * may name earlier Nodes: the present Nodes replace them.
   */
  public static Finding beside(Finding finding, PoolSnapshot seen) {
    TreePMap<String, String> nodes = seen.holding().withoutHost();
    String names = nodes.isEmpty() ? "" : MESSAGE_START + named("Node", nodes.keySet()) + ".";
    return new Finding(finding.reason(), withoutNodes(finding.message()) + names);
  }

  private static String withoutNodes(String message) {
    int start = message.lastIndexOf(MESSAGE_START);
    return start < 0 ? message : message.substring(0, start);
  }

  /**
   * The free Hosts that are not assigned because Nodes of earlier Hosts have their names, as text
   * to append; empty if there are none.
   */
  public static String nameTaken(FreeHosts free) {
    Collection<String> hosts = free.nameTaken();
    return hosts.isEmpty()
        ? ""
        : " Waiting until the earlier Node of the same name is gone: "
            + named("free Host", hosts)
            + ".";
  }

  private static String named(String thing, Collection<String> names) {
    return Messages.named(thing, names, EventLedger.NAMED);
  }

  /**
   * Emits an Event when the conditions begin to name such Nodes. It is named after the first Node,
   * which never gets a Host again, so that the Event has the same name after a crash.
   */
  static void emit(EventRecorder recorder, PoolSnapshot seen) {
    TreePMap<String, String> nodes = seen.holding().withoutHost();
    if (nodes.isEmpty() || isReported(recorder.before())) {
      return;
    }
    recorder.emit(
        EventReason.NODE_WITHOUT_HOST,
        nodes.firstEntry().getValue(),
        "%s without a Host, which was deleted: no longer counted, and removed once the work on it ends."
            .formatted(named("Node", nodes.keySet())),
        nodes.size());
  }

  private static boolean isReported(PoolStatus status) {
    return Stream.of(PoolCondition.AT_TARGET, PoolCondition.NODES_REMOVED)
        .flatMap(type -> status.condition(type).map(Condition::message).stream())
        .anyMatch(message -> message.contains(MESSAGE_START));
  }
}
