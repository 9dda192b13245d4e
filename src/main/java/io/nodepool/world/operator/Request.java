package io.nodepool.world.operator;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A request in progress: its pieces that have not taken effect yet, then its answer. */
public final class Request {
  /** One request on the wire. */
  public sealed interface Piece {
    /** The write of an Event. */
    record Emit(EventDraft eventDraft) implements Piece {}

    /** An intent. */
    record Act(Action action) implements Piece {}

    /** A live read. */
    record Read(Action.Subject subject) implements Piece {}

    /** The addition or removal of a pool's finalizer. The runtime writes it, not the writer. */
    record SetFinalizer(PoolId pool, boolean guarded) implements Piece {}
  }

  /** The process that sent it. */
  public final OperatorProcess sender;

  /** The loop that its answer wakes. */
  public final ReconcileKey owner;

  /** The objects that it reads or writes; an Event is none. */
  public final List<Action.Subject> subjects;

  final Consumer<Answer<Observation>> answer;

  /** Whether it includes Events. */
  public final boolean announces;

  /** The pieces that have not taken effect yet. */
  public final Deque<Piece> pieces;

  public Optional<Answer<Observation>> outcome = Optional.empty();

  /** Whether it was sent, so that closing the gate no longer holds it back. */
  public boolean sent;

  /** Whether its sender has given it up or has ended. */
  public boolean late;

  /** The earliest time at which it takes effect. */
  public Instant notBefore = Instant.MIN;

  /**
   * The version of the pool when it was sent: a status is written on the version that was read just
   * before, so a late status is refused.
   */
  public OptionalLong poolVersion = OptionalLong.empty();

  /** The request that its sender made: this one, or the one that this is the rest of. */
  public final Request original;

  /** The oldest moment that its sender may have taken for the present when it decided on it. */
  public final Instant knownSince;

  Request(
      OperatorProcess sender,
      ReconcileKey owner,
      Collection<Piece> pieces,
      Consumer<Answer<Observation>> answer) {
    this.sender = sender;
    this.owner = owner;
    this.subjects = pieces.stream().flatMap(Request::subject).toList();
    this.pieces = new ArrayDeque<>(pieces);
    this.announces = emits();
    this.original = this;
    this.answer = answer;
    this.knownSince = sender.knownSince();
  }

  private Request(Request sent, Piece piece) {
    this.sender = sent.sender;
    this.owner = sent.owner;
    this.subjects = sent.subjects;
    this.pieces = new ArrayDeque<>(List.of(piece));
    this.announces = emits();
    this.original = sent.original;
    this.answer = ignored -> {};
    this.knownSince = sent.knownSince;
  }

  private static Stream<Action.Subject> subject(Piece piece) {
    return switch (piece) {
      case Piece.Emit _ -> Stream.empty();
      case Piece.Act(Action action) -> Stream.of(action.subject());
      case Piece.Read(Action.Subject subject) -> Stream.of(subject);
      case Piece.SetFinalizer(PoolId pool, boolean _) -> Stream.of(new Action.Subject.OfPool(pool));
    };
  }

  /** Returns the rest of the request after its sender ended: the piece that was sent. */
  public Request adrift(WorldCluster cluster) {
    Request adrift = new Request(this, pieces.getFirst());
    adrift.late = true;
    adrift.poolVersion = poolVersion.isPresent() ? poolVersion : read(cluster);
    return adrift;
  }

  /** Whether its next piece writes an Event. */
  public boolean emits() {
    return pieces.peekFirst() instanceof Piece.Emit;
  }

  /**
   * Sends its next piece, which takes effect some time later. Events do not take effect late: no
   * decision depends on an older Event that replaces a newer one.
   */
  public void send(Instant at, WorldCluster cluster) {
    sent = true;
    notBefore = emits() ? Instant.MIN : at;
    poolVersion = read(cluster);
  }

  private OptionalLong read(WorldCluster cluster) {
    return pieces.getFirst() instanceof Piece.Act(Action.PublishStatus(PoolId pool, _))
        ? cluster.pool(pool.name()).stream().mapToLong(Pool::version).findFirst()
        : OptionalLong.empty();
  }

  /** Whether it arrives too late to be carried out. */
  public boolean isOutdated(WorldCluster cluster) {
    return poolVersion.isPresent() && !poolVersion.equals(read(cluster));
  }

  boolean isGuard(Piece.SetFinalizer guard) {
    return pieces.contains(guard);
  }

  /** Whether its next piece changes something. */
  public boolean writes() {
    return pieces.peekFirst() != null && writes(pieces.getFirst());
  }

  private static boolean writes(Piece piece) {
    return switch (piece) {
      case Piece.Emit _, Piece.SetFinalizer _ -> true;
      case Piece.Read _ -> false;
      case Piece.Act(Action action) -> !(action instanceof Action.Read);
    };
  }
}
