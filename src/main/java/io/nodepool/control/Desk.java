package io.nodepool.control;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where writes wait for their answers: at most one under way for an object. One whose fate is
 * unknown stays under way until a live read decides. After a failure the object is left alone for a
 * while, longer each time.
 */
final class Desk {
  private static final Logger log = LoggerFactory.getLogger(Desk.class);

  /** What stands between an object and its next write. */
  private sealed interface Hold {
    /** A write or read is under way. */
    record UnderWay(Action action, Key owner, int failures) implements Hold {}

    /** Nobody knows whether the write took effect; it is to be read at this time. */
    record InDoubt(Action action, Key owner, int failures, Instant readAt) implements Hold {}
  }

  /** The last write on an object failed; it is left alone until this time. */
  private record Resting(int failures, Instant until, String why) {}

  private final Writer writer;
  private final Index index;
  private final Inventory inventory;
  private final Waker waker;
  private final InstantSource clock;
  private final Timings timings;
  private final Map<Action.Subject, Hold> holds = new HashMap<>();
  private final Map<Key, Set<Action.Subject>> doubts = new HashMap<>();

  /** Who wanted to write an object while a write on it was under way. */
  private final Map<Action.Subject, Set<Key>> waiting = new HashMap<>();

  private final SequencedMap<Action.Subject, Resting> resting = new LinkedHashMap<>();

  Desk(
      Writer writer,
      Index index,
      Inventory inventory,
      Waker waker,
      InstantSource clock,
      Timings timings) {
    this.writer = writer;
    this.index = index;
    this.inventory = inventory;
    this.waker = waker;
    this.clock = clock;
    this.timings = timings;
  }

  /** What stands in the way of writes now. */
  WriteCounts counts() {
    int inDoubt = doubts.values().stream().mapToInt(Set::size).sum();
    Instant now = clock.instant();
    long rest = resting.values().stream().filter(rested -> rested.until().isAfter(now)).count();
    return new WriteCounts(holds.size() - inDoubt, inDoubt, (int) rest);
  }

  /** Whether an answer about the object is awaited. */
  boolean isUnderWay(Action.Subject subject) {
    return holds.containsKey(subject);
  }

  /**
   * Submits a step if its object is free for one now.
   *
   * @return when to try again, if it is not and no answer will wake the owner before
   */
  Optional<Instant> submit(Step step, Key owner) {
    Action.Subject subject = step.action().subject();
    return switch (holds.get(subject)) {
      case Hold.UnderWay _ -> {
        waiting.computeIfAbsent(subject, key -> new LinkedHashSet<>()).add(owner);
        yield Optional.empty();
      }
      case Hold.InDoubt doubt -> {
        waiting.computeIfAbsent(subject, key -> new LinkedHashSet<>()).add(owner);
        yield settle(subject, doubt);
      }
      case null -> sendOrRest(step, owner);
    };
  }

  private Optional<Instant> sendOrRest(Step step, Key owner) {
    Resting rest = resting.get(step.action().subject());
    if (rest == null) {
      return send(step, owner, 0);
    }
    return clock.instant().isBefore(rest.until())
        ? Optional.of(rest.until())
        : send(RequestFailures.told(step, rest.failures(), rest.why()), owner, rest.failures());
  }

  /**
   * Reads what is in doubt about the objects that an owner has written to, where it is time.
   *
   * @return when to look again
   */
  Optional<Instant> settle(Key owner) {
    Optional<Instant> next = Optional.empty();
    for (Action.Subject subject : List.copyOf(doubts.getOrDefault(owner, Set.of()))) {
      if (holds.get(subject) instanceof Hold.InDoubt doubt) {
        next = Instants.earlier(next, settle(subject, doubt));
      }
    }
    return next;
  }

  private Optional<Instant> send(Step step, Key owner, int failures) {
    Action.Subject subject = step.action().subject();
    holds.put(subject, new Hold.UnderWay(step.action(), owner, failures));
    if (step.action() instanceof Action.OnHost onHost) {
      inventory.underWay(onHost.operation());
    }
    log.debug("{}: {}", step.action(), step.why());
    writer.submit(
        step.notices(),
        step.action(),
        answer -> answered(subject, step.action(), owner, failures, answer));
    return Optional.empty();
  }

  private Optional<Instant> settle(Action.Subject subject, Hold.InDoubt doubt) {
    if (clock.instant().isBefore(doubt.readAt())) {
      return Optional.of(doubt.readAt());
    }
    holds.put(subject, new Hold.UnderWay(doubt.action(), doubt.owner(), doubt.failures()));
    doubts.computeIfPresent(
        doubt.owner(),
        (owner, subjects) -> {
          subjects.remove(subject);
          return subjects.isEmpty() ? null : subjects;
        });
    writer.read(
        subject,
        answer -> readBack(subject, doubt.action(), doubt.owner(), doubt.failures(), answer));
    return Optional.empty();
  }

  private void answered(
      Action.Subject subject, Action action, Key owner, int failures, Answer<Observation> answer) {
    switch (answer) {
      case Answer.Done<Observation> done -> {
        release(subject, action);
        Resting before = resting.remove(subject);
        if (before != null && before.failures() >= RequestFailures.TOLD_FROM) {
          tellTrouble(action, Optional.empty());
        }
        fold(done.object());
      }
      case Answer.Refused<Observation> refused -> {
        rest(subject, action, failures + 1, "refused: " + refused.why());
        takeAnother(subject, action);
      }
      case Answer.Missing<Observation> _ -> rest(subject, action, failures + 1, "object is gone");
      case Answer.Unavailable<Observation> unavailable ->
          rest(subject, action, failures + 1, unavailable.why());
      case Answer.Unknown<Observation> unknown ->
          doubt(subject, action, owner, failures + 1, unknown.why());
    }
    wake(subject, owner);
  }

  private void readBack(
      Action.Subject subject, Action action, Key owner, int failures, Answer<Observation> answer) {
    switch (answer) {
      case Answer.Done<Observation> done -> {
        release(subject, action);
        fold(done.object());
      }
      case Answer.Missing<Observation> _ -> rest(subject, action, failures, "object is gone");
      case Answer.Refused<Observation> refused ->
          doubt(subject, action, owner, failures + 1, refused.why());
      case Answer.Unavailable<Observation> unavailable ->
          doubt(subject, action, owner, failures + 1, unavailable.why());
      case Answer.Unknown<Observation> unknown ->
          doubt(subject, action, owner, failures + 1, unknown.why());
    }
    wake(subject, owner);
  }

  /** Ends what is under way for an object; the index no longer counts on it. */
  private void release(Action.Subject subject, Action action) {
    holds.remove(subject);
    if (action instanceof Action.OnHost onHost) {
      inventory.answered(onHost.operation()).forEach(waker::wake);
    }
  }

  /** While a Host that refused an assignment rests, another one may serve as well. */
  private void takeAnother(Action.Subject subject, Action action) {
    Resting rest = resting.get(subject);
    if (rest != null && action instanceof Action.OnHost(HostOperation.Assign assign)) {
      inventory.refused(assign.host(), rest.until()).forEach(waker::wake);
    }
  }

  private void rest(Action.Subject subject, Action action, int failures, String why) {
    release(subject, action);
    Duration wait = timings.retryAfter(failures);
    forgetRested();
    resting.put(subject, new Resting(failures, clock.instant().plus(wait), why));
    if (failures >= RequestFailures.TOLD_FROM) {
      tellTrouble(action, Optional.of(why));
    }
    log.info("{}: {}; next try in {} ms at the earliest", action, why, wait.toMillis());
  }

  /** A pool says why a removal takes so long. */
  private void tellTrouble(Action action, Optional<String> why) {
    RequestFailures.ofRemoval(action)
        .ifPresent(removal ->
            inventory
                .troubled(
                    removal.machine(),
                    action.subject(),
                    why.map(each -> removal.what() + ": " + each))
                .forEach(waker::wake));
  }

  private void doubt(Action.Subject subject, Action action, Key owner, int failures, String why) {
    Instant readAt = clock.instant().plus(timings.retryAfter(failures));
    holds.put(subject, new Hold.InDoubt(action, owner, failures, readAt));
    doubts.computeIfAbsent(owner, key -> new LinkedHashSet<>()).add(subject);
    log.warn("{}: not known whether it took effect ({}); reading it back", action, why);
  }

  /**
   * Whoever wanted to write while this was under way is woken besides the owner: the watch may have
   * brought them all there is to see by now. An object's own loop always is.
   */
  private void wake(Action.Subject subject, Key owner) {
    waker.wake(owner);
    Set<Key> others = waiting.remove(subject);
    if (others != null) {
      others.forEach(waker::wake);
    }
    Key own =
        switch (subject) {
          case Action.Subject.OfHost(HostId host) -> new Key.OfMachine(host.name());
          case Action.Subject.OfNode(String name, String _) -> new Key.OfMachine(name);
          case Action.Subject.OfPod(String _, String _, String _, String node) ->
              new Key.OfMachine(node);
          case Action.Subject.OfPool(PoolId pool) -> new Key.OfPool(pool.name());
          case Action.Subject.OfNamespace(String name, String _) -> new Key.OfNamespace(name);
        };
    if (!own.equals(owner)) {
      waker.wake(own);
    }
  }

  private void fold(Observation seen) {
    index.fold(seen, Index.Source.ANSWER).forEach(waker::wake);
  }

  /** Forgets failures long past, of objects that may be gone. */
  private void forgetRested() {
    Instant longAgo = clock.instant().minus(timings.longestRetry());
    while (!resting.isEmpty() && resting.firstEntry().getValue().until().isBefore(longAgo)) {
      resting.pollFirstEntry();
    }
  }
}
