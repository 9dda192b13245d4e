package io.nodepool.control.write;

import io.nodepool.fleet.Answer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes in flight: at most one for each object. A write whose answer was lost stays in flight
 * until a live read resolves it. An unchanged request is repeated only with a growing wait, whether
 * it failed or succeeded. The records of earlier requests expire by a timer; at rest nothing is
 * held. Confined to one thread.
 *
 * @param <S> identifies an object
 * @param <R> the requests
 * @param <T> the result of a successful request: its object
 */
public final class WriteTracker<S, R extends WriteRequest<S>, T> {
  private static final Logger log = LoggerFactory.getLogger(WriteTracker.class);

  /**
   * The number of times in a row that the same change succeeds, after which another request for it
   * means that another client undoes it.
   */
  public static final int UNDONE_AFTER = 5;

  /** A request that may or may not have taken effect, and when its object must be read. */
  private record InDoubt<R>(R request, Instant readAt) {}

  private final WriteHandler<R, T> handler;
  private final InstantSource clock;
  private final BackOff backOff;

  /** Objects with a request that is not answered yet. */
  private final Set<S> underWay = new HashSet<>();

  private final SequencedMap<S, InDoubt<R>> doubts = new LinkedHashMap<>();
  private final FailedWrites<S, R> failures;
  private final RepeatedWrites<S> repeats;

  /** The earliest requested run of {@link #runDue}. */
  private Instant nextRun = Instant.MAX;

  /** Creates a tracker without writes. */
  public WriteTracker(WriteHandler<R, T> handler, InstantSource clock, BackOff backOff) {
    this.handler = handler;
    this.clock = clock;
    this.backOff = backOff;
    this.failures = new FailedWrites<>(backOff);
    this.repeats = new RepeatedWrites<>(backOff);
  }

  /** The number of objects that cannot be written to now, by cause. */
  public WriteCounts counts() {
    return new WriteCounts(underWay.size(), doubts.size(), failures.resting(clock.instant()));
  }

  /** The number of entries by collection, for leak checks. */
  public Map<String, Integer> sizes() {
    return Map.of(
        "writes under way", underWay.size(),
        "writes in doubt", doubts.size(),
        "writes that failed", failures.size(),
        "objects written lately", repeats.size());
  }

  /** Whether an answer about the object is awaited, or its last write is in doubt. */
  public boolean isUnderWay(S subject) {
    return underWay.contains(subject) || doubts.containsKey(subject);
  }

  /** When the request may be sent if its object is free by then; {@link Instant#MIN} if at once. */
  public Instant notBefore(R request) {
    Instant rested = failures.until(request);
    Instant unrepeated = notRepeatedBefore(request);
    return rested.isAfter(unrepeated) ? rested : unrepeated;
  }

  /** When such a request may be retried; {@link Instant#MIN} if none failed. */
  public Instant restsUntil(S subject, Object kind) {
    return failures.until(subject, kind);
  }

  /** When the request may be repeated after a success; {@link Instant#MIN} if it is no repeat. */
  public Instant notRepeatedBefore(R request) {
    return repeats.notBefore(request.subject(), request.effects());
  }

  /** The earlier failures of such a request. */
  public Optional<WriteFailure<R>> failure(R request) {
    return failures.of(request);
  }

  /** The parts of the request that have now been found for the first time not to last. */
  public Set<String> undone(R request) {
    return repeats.setTimes(request.subject(), request.effects(), UNDONE_AFTER);
  }

  /** Whether none of the values that the request sets lasts, as found now or earlier. */
  public boolean isUndone(R request) {
    return repeats.setAtLeast(request.subject(), request.effects(), UNDONE_AFTER);
  }

  /** Sends a request for an object that is free. */
  public void send(R request) {
    Set<String> undone = undone(request);
    if (!undone.isEmpty()) {
      log.warn(
          "{} did not stay {} times, as another client changes it back ({}); it is set again at most every {} s from now on",
          String.join(", ", undone),
          UNDONE_AFTER,
          request,
          backOff.longest().toSeconds());
    }
    underWay.add(request.subject());
    handler.send(request, answer -> answered(request, answer));
  }

  /**
   * Reads the objects of writes in doubt that are due, and discards expired entries. Requested with
   * {@link WriteHandler#wakeAt}, independently of the loops that requested the writes.
   *
   * @return when to run again
   */
  public Optional<Instant> runDue() {
    Instant now = clock.instant();
    List<InDoubt<R>> due =
        doubts.values().stream().filter(doubt -> !now.isBefore(doubt.readAt())).toList();
    due.forEach(doubt -> readBack(doubt.request()));
    failures.forgetOld(now).forEach(handler::recovered);
    Optional<Instant> next = Instants.earlier(repeats.forgetOld(now), failures.nextForgotten());
    next = Instants.earlier(next, handler.forgetOld(now));
    for (InDoubt<R> doubt : doubts.values()) {
      next = Instants.earlier(next, Optional.of(doubt.readAt()));
    }
    nextRun = next.orElse(Instant.MAX);
    return next;
  }

  private void wakeAt(Instant when) {
    if (when.isBefore(nextRun)) {
      nextRun = when;
      handler.wakeAt(when);
    }
  }

  /** Schedules the expiry of the records made now. */
  public void forgetLater() {
    wakeAt(clock.instant().plus(backOff.forgottenAfter()));
  }

  /** Discards the failures of a kind of request on an object that no longer exists. */
  public void forget(S subject, Object kind) {
    failures.forget(subject, kind);
  }

  private void answered(R request, Answer<T> answer) {
    underWay.remove(request.subject());
    switch (answer) {
      case Answer.Done<T>(T object) -> {
        handler.resolved(request);
        succeeded(request, object);
        handler.done(request, object);
      }
      case Answer.Missing<T> _ -> failed(request, "object is gone", answer);
      case Answer.Unknown<T>(String why) -> doubt(request, why);
      case Answer.Refused<T>(String why) -> failed(request, "refused: " + why, answer);
      case Answer.Failed<T> failed -> failed(request, failed.why(), answer);
    }
    free(request);
  }

  private void succeeded(R request, T object) {
    failures.forget(request.subject(), request.kind()).ifPresent(handler::recovered);
    if (handler.hasEffect(request, object)) {
      repeats.done(request.subject(), request.effects(), clock.instant());
    }
    request.exempts().ifPresent(part -> repeats.forget(request.subject(), part));
    forgetLater();
  }

  private void failed(R request, String why, Answer<T> answer) {
    handler.resolved(request);
    WriteFailure<R> failure = fail(request, answer, why);
    handler.failed(request, failure, answer);
  }

  private WriteFailure<R> fail(R request, Answer<T> answer, String why) {
    WriteFailure<R> failure = failures.add(request, answer, why, clock.instant());
    wakeAt(failure.until().plus(backOff.forgottenAfter()));
    return failure;
  }

  private void doubt(R request, String why) {
    WriteFailure<R> failure = fail(request, new Answer.Unknown<>(why), why);
    handler.inDoubt(request, failure);
    doubts.put(request.subject(), new InDoubt<>(request, failure.until()));
    wakeAt(failure.until());
    log.warn(
        "{} ({}): unknown whether it took effect; the object is read in {} ms",
        why,
        request,
        Duration.between(clock.instant(), failure.until()).toMillis());
  }

  private void readBack(R request) {
    doubts.remove(request.subject());
    underWay.add(request.subject());
    handler.read(request, answer -> readBack(request, answer));
  }

  private void readBack(R request, Answer<T> answer) {
    underWay.remove(request.subject());
    switch (answer) {
      case Answer.Done<T>(T object) -> {
        handler.resolved(request);
        handler.found(request, object);
      }
      case Answer.Missing<T> _ -> {
        handler.resolved(request);
        handler.missing(request);
      }
      case Answer.Failed<T> failed -> doubt(request, failed.why());
    }
    free(request);
  }

  /** No other write on the object is sent before the read that resolves a write in doubt. */
  private void free(R request) {
    if (!doubts.containsKey(request.subject())) {
      handler.free(request);
    }
  }
}
