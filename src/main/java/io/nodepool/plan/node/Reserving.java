package io.nodepool.plan.node;

import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whom is a Node reserved for, and which taint goes with it? A Node that is to be somebody else's
 * is pending: it takes no new tenant work, and moves when it has none (decisions D15, D16 and D56).
 * All of it follows from labels on the Node, so that nothing has to be remembered to be undone.
 */
public final class Reserving {
  private Reserving() {}

  /** Adds to the draft what the Node's reservation needs; a fleet that tells no state has none. */
  static void settle(MachineSnapshot seen, Node node, Pool pool, boolean active, NodeDraft draft) {
    NodeMetadata metadata = node.metadata();
    String state = metadata.label(NodeLabels.STATE);
    if (state.isEmpty()) {
      return;
    }
    String reserved = metadata.label(NodeLabels.RESERVED);
    String wanted = wanted(seen, metadata, pool, state).orElse(reserved);
    String next = reserved;
    Optional<Taint> pending = Optional.empty();
    if (!reserved.equals(wanted) && waitsForIdle(metadata, state, wanted)) {
      Taint taint = Reservation.pending(wanted);
      // Idle counts only once nothing new is let in.
      if (!active && metadata.taints().contains(taint)) {
        next = wanted;
      } else {
        pending = Optional.of(taint);
      }
    } else {
      next = wanted;
    }
    if (!next.isEmpty()) {
      draft.label(NodeLabels.RESERVED.key(), next);
    }
    Optional<Taint> held = Reservation.taint(state, next);
    Optional<Taint> waiting = pending;
    draft.noTaint(taint ->
        taint.key().equals(NodeTaints.RESERVED.key())
            && !held.equals(Optional.of(taint))
            && !waiting.equals(Optional.of(taint)));
    held.ifPresent(draft::taint);
    waiting.ifPresent(draft::taint);
  }

  /** What the label is to say; empty while the fleet does not tell its organisation. */
  private static Optional<String> wanted(
      MachineSnapshot seen, NodeMetadata metadata, Pool pool, String state) {
    String desired = metadata.label(NodeLabels.RESERVED_DESIRED);
    if (state.equals(Reservation.PRODUCTION) && !desired.isEmpty()) {
      return Optional.of(desired);
    }
    String natural = Reservation.of(state, pool.id().name(), seen.organization().orElse(""));
    return Optional.of(natural).filter(value -> !value.isEmpty());
  }

  /** Only tenant work on a production Node is waited for, and only if it would be in the way. */
  private static boolean waitsForIdle(NodeMetadata metadata, String state, String wanted) {
    return state.equals(Reservation.PRODUCTION)
        && (wanted.equals(metadata.label(NodeLabels.RESERVED_DESIRED))
            || wanted.equals(Reservation.CONTROL_PLANE));
  }

  /** Whether a Node with these labels has this taint by what it is or whom it is reserved for. */
  public static boolean isDue(NodeMetadata metadata, Taint taint) {
    return taint.key().equals(NodeTaints.RESERVED.key())
        ? byLabels(metadata).contains(taint)
        : NodeTaints.isOwn(taint.key());
  }

  /** Whether it is a taint of a reservation that a Node with these labels has no more. */
  public static boolean isOver(NodeMetadata metadata, Taint taint) {
    return taint.key().equals(NodeTaints.RESERVED.key()) && !byLabels(metadata).contains(taint);
  }

  /** The taints of its reservation, as far as its own labels say. */
  private static List<Taint> byLabels(NodeMetadata metadata) {
    String state = metadata.label(NodeLabels.STATE);
    String reserved = metadata.label(NodeLabels.RESERVED);
    String desired = metadata.label(NodeLabels.RESERVED_DESIRED);
    String wanted =
        desired.isEmpty()
            ? Reservation.of(state, metadata.label(NodeLabels.NODE_POOL), reserved)
            : desired;
    boolean pending = !reserved.equals(wanted) && waitsForIdle(metadata, state, wanted);
    return Stream.concat(
            Reservation.taint(state, reserved).stream(),
            pending ? Stream.of(Reservation.pending(wanted)) : Stream.empty())
        .toList();
  }
}
