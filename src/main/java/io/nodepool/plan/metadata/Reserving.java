package io.nodepool.plan.metadata;

import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Keeps the reservation label and taint of a Node up to date. A Node that must be reserved for
 * another owner is pending: it takes no new tenant work, and its reservation changes when it is
 * idle (decisions D15, D16 and D56). All of this follows from labels on the Node, so no other state
 * is needed to undo it.
 */
public final class Reserving {
  private Reserving() {}

  /**
   * Adds the label and taints of the Node's reservation to the draft. A Node without a state label
   * has no reservation.
   */
  static void reserve(MachineSnapshot seen, Node node, Pool pool, boolean active, NodeDraft draft) {
    NodeMetadata metadata = node.metadata();
    String state = metadata.label(NodeLabels.STATE);
    if (state.isEmpty()) {
      return;
    }
    String reserved = metadata.label(NodeLabels.RESERVED);
    String wanted = wanted(seen, metadata, pool, state).orElse(reserved);
    // A Node counts as idle only once its taint keeps new Pods away.
    Optional<Taint> pending =
        pending(metadata, state, wanted)
            .filter(taint -> active || !metadata.taints().contains(taint));
    reserve(state, pending.isPresent() ? reserved : wanted, pending, draft);
  }

  /**
   * Adds the label and taints of this reservation to the draft, in place of any other.
   *
   * @param state the state of the Node
   * @param reserved the value of the label; empty text if none is known
   * @param waiting the taint of a Node that waits for another reservation
   */
  static void reserve(String state, String reserved, Optional<Taint> waiting, NodeDraft draft) {
    if (!reserved.isEmpty()) {
      draft.label(NodeLabels.RESERVED.key(), reserved);
    }
    Optional<Taint> held = Reservation.taint(state, reserved);
    draft.noTaint(taint ->
        taint.key().equals(NodeTaints.RESERVED.key())
            && !held.equals(Optional.of(taint))
            && !waiting.equals(Optional.of(taint)));
    held.ifPresent(draft::taint);
    waiting.ifPresent(draft::taint);
  }

  /** The wanted value of the label; empty while the fleet does not publish its organisation. */
  private static Optional<String> wanted(
      MachineSnapshot seen, NodeMetadata metadata, Pool pool, String state) {
    String desired = metadata.label(NodeLabels.RESERVED_DESIRED);
    if (state.equals(Reservation.PRODUCTION) && !desired.isEmpty()) {
      return Optional.of(desired);
    }
    String natural = Reservation.of(state, pool.id().name(), seen.organization().orElse(""));
    return Optional.of(natural).filter(value -> !value.isEmpty());
  }

  /**
   * The taint of a Node whose change to this reservation waits until it is idle: only for tenant
   * work on a production Node, and only if that work conflicts with the new reservation.
   */
  private static Optional<Taint> pending(NodeMetadata metadata, String state, String wanted) {
    boolean waits =
        !wanted.equals(metadata.label(NodeLabels.RESERVED))
            && state.equals(Reservation.PRODUCTION)
            && (wanted.equals(metadata.label(NodeLabels.RESERVED_DESIRED))
                || wanted.equals(Reservation.CONTROL_PLANE));
    return waits ? Optional.of(Reservation.pending(wanted)) : Optional.empty();
  }

  /** Whether a client wants another reservation, which waits until the Node is idle. */
  public static boolean isPending(NodeMetadata metadata) {
    String desired = metadata.label(NodeLabels.RESERVED_DESIRED);
    return !desired.isEmpty()
        && pending(metadata, metadata.label(NodeLabels.STATE), desired).isPresent();
  }

  /** Whether a Node with these labels has this taint because of its kind or its reservation. */
  public static boolean isDue(NodeMetadata metadata, Taint taint) {
    return taint.key().equals(NodeTaints.RESERVED.key())
        ? byLabels(metadata).contains(taint)
        : NodeTaints.isOwn(taint.key());
  }

  /** Whether the taint belongs to a reservation that a Node with these labels no longer has. */
  public static boolean isOver(NodeMetadata metadata, Taint taint) {
    return taint.key().equals(NodeTaints.RESERVED.key()) && !byLabels(metadata).contains(taint);
  }

  /** The taints of the reservation that these labels define. */
  private static List<Taint> byLabels(NodeMetadata metadata) {
    String state = metadata.label(NodeLabels.STATE);
    String reserved = metadata.label(NodeLabels.RESERVED);
    String desired = metadata.label(NodeLabels.RESERVED_DESIRED);
    String wanted =
        desired.isEmpty()
            ? Reservation.of(state, metadata.label(NodeLabels.NODE_POOL), reserved)
            : desired;
    return Stream.concat(
            Reservation.taint(state, reserved).stream(), pending(metadata, state, wanted).stream())
        .toList();
  }
}
