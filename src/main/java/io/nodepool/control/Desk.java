package io.nodepool.control;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.Effects;
import io.nodepool.plan.RequestFailures;
import io.nodepool.plan.Step;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where writes wait for their answers: at most one under way for an object. One whose fate is
 * unknown stays under way until a live read decides. No request is repeated unchanged without a
 * growing wait: neither one that failed, nor one that was done and is wanted again; and none is
 * announced anew.
 */
final class Desk {
  private static final Logger log = LoggerFactory.getLogger(Desk.class);

  /** A change that was made so often and is wanted again is told: somebody undoes it. */
  static final int UNDONE_TOLD_AFTER = 5;

  /**
   * A write or read that is not answered.
   *
   * @param owner who asked for it
   */
  private record UnderWay(Action action, Key owner) {}

  /** Nobody knows whether the action took effect; its object is to be read at this time. */
  private record InDoubt(Action action, Key owner, Instant readAt) {}

  private final Writer writer;
  private final ClusterState state;
  private final Waker waker;
  private final InstantSource clock;
  private final BackOff backOff;
  private final Map<Action.Subject, UnderWay> underWay = new HashMap<>();
  private final SequencedMap<Action.Subject, InDoubt> doubts = new LinkedHashMap<>();

  /** Who wanted to write an object while a write on it was under way. */
  private final Map<Action.Subject, Set<Key>> waiting = new HashMap<>();

  private final Failures failures;
  private final Repeats<Action.Subject> repeats;
  private final ToldLately told;

  /** When {@link #look} runs next, as far as that was asked for. */
  private Instant nextLook = Instant.MAX;

  Desk(Writer writer, ClusterState state, Waker waker, InstantSource clock, Timings timings) {
    this.writer = writer;
    this.state = state;
    this.waker = waker;
    this.clock = clock;
    this.backOff = timings.backOff();
    this.failures = new Failures(backOff);
    this.repeats = new Repeats<>(backOff);
    this.told = new ToldLately(backOff.forgottenAfter());
  }

  /** What stands in the way of writes now. */
  WriteCounts counts() {
    return new WriteCounts(underWay.size(), doubts.size(), failures.resting(clock.instant()));
  }

  /** Entries held, by what holds them, for leak checks. */
  Map<String, Integer> sizes() {
    return Map.of(
        "writes under way", underWay.size(),
        "writes in doubt", doubts.size(),
        "objects waited for", waiting.size(),
        "writes that failed", failures.size(),
        "objects written lately", repeats.size(),
        "objects announced lately", told.size());
  }

  /** Whether an answer about the object is awaited, or its last write is in doubt. */
  boolean isUnderWay(Action.Subject subject) {
    return underWay.containsKey(subject) || doubts.containsKey(subject);
  }

  /**
   * Submits a step if its object is free for it now.
   *
   * @return when to try again, if it is not and no answer will wake the owner before; empty if it
   *     was sent
   */
  Optional<Instant> submit(Step step, Key owner) {
    Action action = step.action();
    Action.Subject subject = action.subject();
    if (isUnderWay(subject)) {
      waiting.computeIfAbsent(subject, key -> new LinkedHashSet<>()).add(owner);
      return Optional.empty();
    }
    SortedMap<String, Object> effects = Effects.of(action);
    Optional<Failures.Failure> failed = failures.of(action);
    Instant rested = failures.until(action);
    Instant unrepeated = repeats.notBefore(subject, effects);
    Instant notBefore = rested.isAfter(unrepeated) ? rested : unrepeated;
    if (clock.instant().isBefore(notBefore)) {
      takeAnother(action, unrepeated);
      return Optional.of(notBefore);
    }
    // What another client keeps undoing is announced no more once it was said that it does.
    Step fresh =
        repeats.setAtLeast(subject, effects, UNDONE_TOLD_AFTER)
            ? Step.quiet(action, step.why())
            : step;
    Step failing =
        failed
            .map(failure -> RequestFailures.told(fresh, failure.count(), failure.why()))
            .orElse(fresh);
    Step all = notStaying(failing, repeats.setTimes(subject, effects, UNDONE_TOLD_AFTER));
    send(told.news(all, clock.instant()), owner);
    return Optional.empty();
  }

  private Step notStaying(Step step, Set<String> undone) {
    if (!undone.isEmpty()) {
      log.warn(
          "{}: done {} times and wanted again ({}); from now on at most every {} s",
          step.action(),
          UNDONE_TOLD_AFTER,
          String.join(", ", undone),
          backOff.longest().toSeconds());
    }
    return Effects.notStaying(step, undone, UNDONE_TOLD_AFTER, backOff.longest());
  }

  private void send(Step step, Key owner) {
    Action action = step.action();
    underWay.put(action.subject(), new UnderWay(action, owner));
    if (action instanceof Action.OnHost onHost) {
      state.underWay(onHost.operation());
    }
    log.debug("{}: {}", action, step.why());
    writer.submit(
        step.notices(),
        action,
        answer -> {
          announced(step, answer);
          answered(action, owner, answer);
        });
  }

  /** Events come before the write; of one that was turned away they may have been as well. */
  private void announced(Step step, Answer<Observation> answer) {
    if (!(answer instanceof Answer.Unavailable<Observation>) && !step.notices().isEmpty()) {
      told.told(step.action().subject(), step.notices(), clock.instant());
      state.unread().told(step.notices());
      lookAt(clock.instant().plus(backOff.forgottenAfter()));
    }
  }

  /**
   * Reads back what is in doubt, where it is time, and forgets what is long past. It is asked for
   * with {@link Key.OfWrites}, whoever wanted the writes and whether or not that still exists.
   *
   * @return when to look again
   */
  Optional<Instant> look() {
    Instant now = clock.instant();
    List<InDoubt> due =
        doubts.values().stream().filter(doubt -> !now.isBefore(doubt.readAt())).toList();
    due.forEach(this::readBack);
    for (Failures.Failure old : failures.forgetOld(now)) {
      recovered(old);
    }
    Optional<Instant> next = Instants.earlier(repeats.forgetOld(now), failures.nextForgotten());
    next = Instants.earlier(next, told.forgetOld(now));
    for (InDoubt doubt : doubts.values()) {
      next = Instants.earlier(next, Optional.of(doubt.readAt()));
    }
    nextLook = next.orElse(Instant.MAX);
    return next;
  }

  private void lookAt(Instant when) {
    if (when.isBefore(nextLook)) {
      nextLook = when;
      waker.wake(new Key.OfWrites());
    }
  }

  private void readBack(InDoubt doubt) {
    Action.Subject subject = doubt.action().subject();
    doubts.remove(subject);
    underWay.put(subject, new UnderWay(doubt.action(), doubt.owner()));
    writer.read(subject, answer -> readBack(doubt.action(), doubt.owner(), answer));
  }

  private void answered(Action action, Key owner, Answer<Observation> answer) {
    switch (answer) {
      case Answer.Done<Observation> done -> {
        release(action);
        succeeded(action, done.object());
        fold(done.object());
      }
      case Answer.Refused<Observation> refused -> {
        Failures.Failure failure = rest(action, "refused: " + refused.why(), false);
        takeAnother(action, failure.until());
      }
      case Answer.Denied<Observation> denied -> rest(action, denied.why(), true);
      case Answer.Missing<Observation> _ -> rest(action, "object is gone", false);
      case Answer.Unavailable<Observation> unavailable -> rest(action, unavailable.why(), false);
      case Answer.Unknown<Observation> unknown -> doubt(action, owner, unknown.why());
    }
    wake(action.subject(), owner);
  }

  private void readBack(Action action, Key owner, Answer<Observation> answer) {
    switch (answer) {
      case Answer.Done<Observation> done -> {
        release(action);
        fold(done.object());
      }
      case Answer.Missing<Observation> _ -> release(action);
      case Answer.Refused<Observation> refused -> doubt(action, owner, refused.why());
      case Answer.Denied<Observation> denied -> doubt(action, owner, denied.why());
      case Answer.Unavailable<Observation> unavailable -> doubt(action, owner, unavailable.why());
      case Answer.Unknown<Observation> unknown -> doubt(action, owner, unknown.why());
    }
    wake(action.subject(), owner);
  }

  /** Ends what is under way for an object; the index no longer counts on it. */
  private void release(Action action) {
    underWay.remove(action.subject());
    if (action instanceof Action.OnHost onHost) {
      state.answered(onHost.operation()).forEach(waker::wake);
    }
  }

  private void succeeded(Action action, Observation after) {
    Instant now = clock.instant();
    failures.succeeded(action).ifPresent(this::recovered);
    if (!isBlocked(after)) {
      repeats.done(action.subject(), Effects.of(action), now);
    }
    Effects.excused(action).ifPresent(part -> repeats.forget(action.subject(), part));
    lookAt(now.plus(backOff.forgottenAfter()));
  }

  /** A budget that does not allow an eviction yet is asked at the drain's own pace. */
  private static boolean isBlocked(Observation after) {
    return after instanceof Observation.EvictionTried(String _, String _, Optional<String> budget)
        && budget.isPresent();
  }

  /** While a Host is left alone for an assignment, another one may serve as well. */
  private void takeAnother(Action action, Instant until) {
    if (action instanceof Action.OnHost(HostOperation.Assign assign)
        && clock.instant().isBefore(until)) {
      state.refused(assign.host(), until).forEach(waker::wake);
    }
  }

  private Failures.Failure rest(Action action, String why, boolean denied) {
    release(action);
    Failures.Failure failure = fail(action, why, denied);
    log.info("{}: {}; next try in {} ms at the earliest", action, why, wait(failure).toMillis());
    return failure;
  }

  private Duration wait(Failures.Failure failure) {
    return backOff.after(failure.count());
  }

  private void doubt(Action action, Key owner, String why) {
    underWay.remove(action.subject());
    Failures.Failure failure = fail(action, why, false);
    doubts.put(action.subject(), new InDoubt(action, owner, failure.until()));
    lookAt(failure.until());
    log.warn(
        "{}: not known whether it took effect ({}); reading it back in {} ms",
        action,
        why,
        wait(failure).toMillis());
  }

  /** Counts a failure, and tells it once it is more than everyday life, or at once if it is no. */
  private Failures.Failure fail(Action action, String why, boolean denied) {
    int before = failures.of(action).map(Failures.Failure::count).orElse(0);
    boolean tell = denied || before + 1 >= RequestFailures.TOLD_FROM;
    Failures.Failure failure = failures.add(action, why, tell, clock.instant());
    lookAt(failure.until().plus(backOff.forgottenAfter()));
    if (tell) {
      trouble(action, Optional.of(why), denied);
    }
    return failure;
  }

  private void recovered(Failures.Failure failure) {
    if (failure.told()) {
      trouble(failure.action(), Optional.empty(), false);
    }
  }

  private void trouble(Action action, Optional<String> why, boolean denied) {
    machine(action.subject())
        .ifPresent(
            machine -> state.writeTrouble(machine, action, why, denied).forEach(waker::wake));
  }

  private static Optional<String> machine(Action.Subject subject) {
    return own(subject) instanceof Key.OfMachine(String name)
        ? Optional.of(name)
        : Optional.empty();
  }

  /**
   * Whoever wanted to write while this was under way is woken besides the owner: the watch may have
   * brought them all there is to see by now. An object's own loop always is. While it is in doubt
   * nobody is: the read comes first.
   */
  private void wake(Action.Subject subject, Key owner) {
    if (doubts.containsKey(subject)) {
      return;
    }
    waker.wake(owner);
    Set<Key> others = waiting.remove(subject);
    if (others != null) {
      others.forEach(waker::wake);
    }
    Key own = own(subject);
    if (!own.equals(owner)) {
      waker.wake(own);
    }
  }

  private static Key own(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(HostId host) -> new Key.OfMachine(host.name());
      case Action.Subject.OfNode(String name, String _) -> new Key.OfMachine(name);
      case Action.Subject.OfPod(String _, String _, String _, String node) ->
          new Key.OfMachine(node);
      case Action.Subject.OfPool(PoolId pool) -> new Key.OfPool(pool.name());
      case Action.Subject.OfNamespace(String name, String _) -> new Key.OfNamespace(name);
    };
  }

  private void fold(Observation seen) {
    state.fold(seen, ClusterState.Source.ANSWER).forEach(waker::wake);
  }
}
