package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.world.check.OperatorView;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A request under way: what is left of it to take effect, then its answer. */
public final class Request {
  /** One request on the wire. */
  public sealed interface Piece {
    /** An Event to be written. */
    record Emit(EventDraft eventDraft) implements Piece {}

    /** An intent. */
    record Act(Action action) implements Piece {}

    /** A live read. */
    record Read(Action.Subject subject) implements Piece {}

    /** A pool's finalizer to be put on or taken off. The runtime writes it, not the writer. */
    record SetFinalizer(PoolId pool, boolean guarded) implements Piece {}
  }

  /** Who sent it. */
  public final OperatorProcess sender;

  final Consumer<Answer<Observation>> answer;

  /** Whether Events come with it. */
  final boolean announces;

  final Deque<Piece> pieces;
  Optional<Answer<Observation>> outcome = Optional.empty();

  /** Whether it was sent, so that a gate that closes does not hold it back any more. */
  boolean sent;

  /** Whether its sender gave it up, or is gone. */
  public boolean late;

  /** When it takes effect at the earliest. */
  Instant notBefore = Instant.MIN;

  /**
   * The version of the pool when it was put on the wire: a status is written on the version that
   * was read just before, so one that comes late is refused.
   */
  OptionalLong poolVersion = OptionalLong.empty();

  /**
   * Whether its sender knew, when it asked for it, that only idle Nodes of the pool may go; and
   * whether it knew that the object, or the pool that holds it, cannot be read.
   */
  public final OperatorView.View view;

  Request(
      OperatorProcess sender,
      Collection<Piece> pieces,
      OperatorView.View view,
      Consumer<Answer<Observation>> answer) {
    this.sender = sender;
    this.pieces = new ArrayDeque<>(pieces);
    this.announces = emits();
    this.view = view;
    this.answer = answer;
  }

  /** What remains of it once its sender is gone: the piece that is on the wire. */
  Request adrift(WorldCluster cluster) {
    Request adrift = new Request(sender, List.of(pieces.getFirst()), view, ignored -> {});
    adrift.late = true;
    adrift.poolVersion = poolVersion.isPresent() ? poolVersion : read(cluster);
    return adrift;
  }

  /** Whether its next piece writes an Event. */
  boolean emits() {
    return pieces.peekFirst() instanceof Piece.Emit;
  }

  /**
   * It is on the wire from now on, and takes effect some time later. Events do not come late: an
   * older one that is written over a newer one misleads nobody who decides.
   */
  void send(Instant at, WorldCluster cluster) {
    sent = true;
    notBefore = emits() ? Instant.MIN : at;
    poolVersion = read(cluster);
  }

  private OptionalLong read(WorldCluster cluster) {
    return pieces.getFirst() instanceof Piece.Act(Action.PublishStatus(PoolId pool, _))
        ? cluster.pool(pool.name()).stream().mapToLong(Pool::version).findFirst()
        : OptionalLong.empty();
  }

  /** Whether it comes too late to be carried out. */
  boolean isOutdated(WorldCluster cluster) {
    return poolVersion.isPresent() && !poolVersion.equals(read(cluster));
  }

  boolean isGuard(Piece.SetFinalizer guard) {
    return pieces.contains(guard);
  }

  /** Whether its next piece changes something. */
  boolean writes() {
    return pieces.peekFirst() != null && writes(pieces.getFirst());
  }

  private static boolean writes(Piece piece) {
    return switch (piece) {
      case Piece.Emit _, Piece.SetFinalizer _ -> true;
      case Piece.Read _ -> false;
      case Piece.Act(Action action) -> !isRead(action);
    };
  }

  /** Whether an intent only reads. */
  public static boolean isRead(Action action) {
    return action instanceof Action.ConfirmEmpty
        || action instanceof Action.Confirm
        || action instanceof Action.LookAtMachine
        || action instanceof Action.AskLabelAuthor
        || action instanceof Action.ListPods;
  }
}
