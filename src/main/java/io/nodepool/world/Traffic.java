package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import io.nodepool.world.operator.Request;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * Decides what happens to requests: they are carried out, refused, rejected as unavailable, lost
 * before or after they take effect, or carried out after their sender has given them up.
 */
final class Traffic {
  /** The longest time after which a write that was given up takes effect. */
  private static final Duration LATEST_EFFECT = Duration.ofSeconds(25);

  private final World world;
  private final WorldCluster cluster;
  private final Faults faults;
  private final OperatorOverrides overrides;
  private final SplittableRandom random;

  /** The number of writes that were about to take effect. */
  int writes;

  /** The number of requests that were not answered with success. */
  int disturbances;

  /** The number of failed requests with Events, which may or may not have been written. */
  int lostEvents;

  Traffic(World world, Faults faults, OperatorOverrides overrides, SplittableRandom random) {
    this.world = world;
    this.cluster = world.cluster();
    this.faults = faults;
    this.overrides = overrides;
    this.random = random;
  }

  private boolean percent(int percent) {
    return percent > 0 && random.nextInt(100) < percent;
  }

  /** Advances a request: its next piece takes effect or is lost, or its answer arrives. */
  void proceed(Request request) {
    if (request.outcome.isPresent()) {
      request.sender.answered(request);
      return;
    }
    world.tell(observer -> observer.tried(request));
    if (isHeldBack(request)) {
      world.situations().add(Situation.GATE_CLOSED);
      request.outcome =
          Optional.of(new Answer.Unavailable<>("leadership was not confirmed lately"));
      return;
    }
    Request.Piece piece = request.pieces.getFirst();
    world.addTrace(() -> "sent " + piece);
    world.tell(observer -> observer.sent(request, piece));
    switch (piece) {
      case Request.Piece.Read(Action.Subject subject) ->
          request.outcome =
              Optional.of(notCarriedOut(piece).orElseGet(() -> cluster.read(subject)));
      case Request.Piece.Emit _, Request.Piece.Act _, Request.Piece.SetFinalizer _ ->
          write(request, piece);
    }
    request.outcome.ifPresent(outcome -> note(request, piece, outcome));
  }

  private void write(Request request, Request.Piece piece) {
    Optional<Answer<Observation>> notCarriedOut = notCarriedOut(piece);
    if (notCarriedOut.isPresent()) {
      request.outcome = notCarriedOut;
      return;
    }
    writes++;
    world.aboutToWrite(writes);
    boolean crashes = faults.crashAtWrite().stream().anyMatch(write -> write == writes);
    if (crashes && !faults.crashAfter()) {
      world.operators().crash(request);
      return;
    }
    if (percent(faults.unknownPercent())) {
      lose(request, piece);
    } else {
      effect(request, piece);
    }
    if (crashes) {
      world.operators().crash(request);
    }
  }

  /**
   * Whether the gate holds the request back when it is sent; the runtime's writes of finalizers do
   * not pass the gate.
   */
  private boolean isHeldBack(Request request) {
    return overrides.wiring().gated()
        && !request.sender.leads
        && !request.sent
        && request.writes()
        && !(request.pieces.getFirst() instanceof Request.Piece.SetFinalizer);
  }

  private Optional<Answer<Observation>> notCarriedOut(Request.Piece piece) {
    if (world.apiOutages().isOut()) {
      world.situations().add(Situation.OUTAGE);
      return Optional.of(
          random.nextBoolean() ? new Answer.Unavailable<>("no connection") : lost(piece));
    }
    if (percent(faults.unavailablePercent())) {
      return Optional.of(new Answer.Unavailable<>("unavailable"));
    }
    return piece instanceof Request.Piece.Act(Action action)
        ? world.apiOutages().against(action)
        : Optional.empty();
  }

  /**
   * The sender's result without an answer: an Event or a list may be repeated; whether anything
   * else took effect is unknown.
   */
  private static Answer<Observation> lost(Request.Piece piece) {
    String why = "no answer";
    return switch (piece) {
      case Request.Piece.Emit _ -> new Answer.Unavailable<>(why);
      case Request.Piece.Act(Action action) ->
          action instanceof Action.Read ? new Answer.Unavailable<>(why) : new Answer.Unknown<>(why);
      case Request.Piece.Read _, Request.Piece.SetFinalizer _ -> new Answer.Unknown<>(why);
    };
  }

  private void lose(Request request, Request.Piece piece) {
    world.addTrace(() -> "an answer will be lost");
    if (random.nextBoolean()) {
      carryOut(request, piece);
    } else if (percent(faults.latePercent())) {
      drift(request);
    }
    request.outcome = Optional.of(lost(piece));
  }

  /** Lets a sent request take effect later, whether or not its sender still waits for it. */
  void drift(Request request) {
    Request adrift = request.adrift(cluster);
    if (adrift.writes() && !adrift.emits()) {
      world.later(
          Duration.ofNanos(random.nextLong(LATEST_EFFECT.toNanos())),
          () -> {
            world.situations().add(Situation.LATE_EFFECT);
            carryOut(adrift, adrift.pieces.getFirst());
          });
    }
  }

  private void effect(Request request, Request.Piece piece) {
    Optional<Answer<Observation>> answer = carryOut(request, piece);
    request.pieces.removeFirst();
    request.sent = false;
    request.poolVersion = OptionalLong.empty();
    if (request.pieces.isEmpty()) {
      request.outcome = answer;
    }
  }

  /** Carries out a piece. Returns its answer; an Event has none. */
  private Optional<Answer<Observation>> carryOut(Request request, Request.Piece piece) {
    return switch (piece) {
      case Request.Piece.Emit(var eventDraft) -> {
        cluster.eventLog().emit(eventDraft, world.instant(), world.remembered());
        world.tell(observer -> observer.emitted(request, eventDraft));
        yield Optional.empty();
      }
      case Request.Piece.SetFinalizer(var pool, boolean guarded) -> {
        if (!guarded) {
          world.tell(observer -> observer.released(request, pool));
        }
        cluster.setGuard(pool, guarded);
        yield Optional.of(new Answer.Missing<>());
      }
      case Request.Piece.Act _ when request.isOutdated(cluster) ->
          Optional.of(new Answer.Refused<>("the pool changed since it was read"));
      case Request.Piece.Act(Action decided) -> {
        Action action = overrides.wiring().wire().carried(decided, cluster);
        world.tell(observer -> observer.before(request, action));
        Answer<Observation> answer = cluster.apply(action, world.instant());
        world.tell(observer -> observer.after(request, action, answer));
        world.addTrace(() -> action + " -> " + answer);
        yield Optional.of(answer);
      }
      case Request.Piece.Read(var subject) -> Optional.of(cluster.read(subject));
    };
  }

  private void note(Request request, Request.Piece piece, Answer<Observation> outcome) {
    Situations situations = world.situations();
    if (!(outcome instanceof Answer.Done<Observation>)) {
      disturbances++;
      if (outcome instanceof Answer.Refused<Observation>) {
        world.hindered();
      } else {
        world.disturbed();
      }
      lostEvents += request.announces && outcome instanceof Answer.Unavailable<Observation> ? 1 : 0;
    }
    switch (outcome) {
      case Answer.Unknown<Observation> _ -> {
        situations.add(Situation.ANSWER_LOST);
        if (piece instanceof Request.Piece.Act(Action.OnHost(HostOperation.Stop _))) {
          situations.add(Situation.ANSWER_LOST_ON_STOP);
        } else if (piece instanceof Request.Piece.Act(Action.OnHost(HostOperation.Boot _))) {
          situations.add(Situation.ANSWER_LOST_ON_BOOT);
        }
      }
      case Answer.Refused<Observation> _ -> situations.add(Situation.REFUSED);
      case Answer.Denied<Observation> _ -> situations.add(Situation.DENIED);
      case Answer.Done<Observation> _,
          Answer.Missing<Observation> _,
          Answer.Unavailable<Observation> _ -> {}
    }
  }
}
