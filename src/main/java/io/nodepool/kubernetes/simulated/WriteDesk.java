package io.nodepool.kubernetes.simulated;

import io.nodepool.control.BackOff;
import io.nodepool.control.Repeats;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where writes wait for their answers: at most one under way for a key. A write whose fate is
 * unknown is read back before anything else happens to its object. After a failure the key rests,
 * longer each time until a write succeeds; what was written and does not stay is written again with
 * growing waits. Lives on the data centre's thread.
 */
final class WriteDesk {
  private static final Logger log = LoggerFactory.getLogger(WriteDesk.class);
  private static final BackOff BACK_OFF =
      new BackOff(Duration.ofMillis(250), Duration.ofSeconds(30));

  /** A write that was repeated so often is worth a line in the log. */
  private static final int UNDONE_LOGGED_AFTER = 5;

  /** What comes of a write or of reading it back. */
  interface Outcomes {
    /** This is how the object stands now. */
    void found(Key key, ApiRequest request, String object);

    /** A write is not allowed, and will not be until something changes. */
    void denied(Key key, ApiRequest request, String why);

    /** The object is not there. */
    void missing(Key key, ApiRequest request);

    /** The key is free again. */
    void free(Key key);
  }

  /** What stands between a key and its next write. */
  private sealed interface Hold {
    /** A write or read is under way. */
    record UnderWay() implements Hold {}

    /** Nobody knows whether the write took effect; it is to be read back at this time. */
    record InDoubt(Instant until, ApiRequest request) implements Hold {}
  }

  /** Failures in a row; nothing is done until this time. */
  private record Failed(int count, Instant until) {}

  private final ApiSender sender;
  private final Timers<Key> timers;
  private final InstantSource clock;
  private final Outcomes outcomes;
  private final Map<Key, Hold> holds = new HashMap<>();

  /** Those come first that failed longest ago. */
  private final SequencedMap<Key, Failed> failures = new LinkedHashMap<>();

  private final Repeats<Key> repeats = new Repeats<>(BACK_OFF);
  private boolean upkeepIsSet;

  WriteDesk(ApiSender sender, Timers<Key> timers, InstantSource clock, Outcomes outcomes) {
    this.sender = sender;
    this.timers = timers;
    this.clock = clock;
    this.outcomes = outcomes;
  }

  /**
   * Whether the key may be decided on now. If not, it is woken when it may be: by an answer or by
   * its timer.
   */
  boolean isFree(Key key) {
    return switch (holds.get(key)) {
      case null -> {
        Failed failed = failures.get(key);
        yield failed == null || isOver(key, failed.until());
      }
      case Hold.UnderWay _ -> false;
      case Hold.InDoubt doubt -> {
        if (isOver(key, doubt.until())) {
          readBack(key, doubt.request());
        }
        yield false;
      }
    };
  }

  /** Whether an answer about the key is awaited, or its last write is in doubt. */
  boolean isUnderWay(Key key) {
    return holds.containsKey(key);
  }

  /** Entries held, for leak checks: under way or in doubt, failed, repeated. */
  List<Integer> sizes() {
    return List.of(holds.size(), failures.size(), repeats.size());
  }

  private boolean isOver(Key key, Instant until) {
    if (clock.instant().isBefore(until)) {
      timers.at(key, until);
      return false;
    }
    return true;
  }

  /**
   * Sends a write for a key that is free; later, when the key is woken, if the same was written
   * lately and did not stay.
   *
   * @param effects what it sets, part by part; empty if it has a pace of its own
   */
  void submit(Key key, ApiRequest request, Map<String, Object> effects) {
    if (!isOver(key, repeats.notBefore(key, effects))) {
      return;
    }
    Set<String> undone = repeats.setTimes(key, effects, UNDONE_LOGGED_AFTER);
    if (!undone.isEmpty()) {
      log.warn(
          "{}: written {} times and wanted again ({}); from now on at growing intervals",
          request,
          UNDONE_LOGGED_AFTER,
          String.join(", ", undone));
    }
    log.debug("{}", request);
    holds.put(key, new Hold.UnderWay());
    sender.send(request, answer -> answered(key, request, effects, answer));
  }

  private void answered(
      Key key, ApiRequest request, Map<String, Object> effects, Answer<String> answer) {
    holds.remove(key);
    switch (answer) {
      case Answer.Done<String>(String object) -> {
        failures.remove(key);
        repeats.done(key, effects, clock.instant());
        outcomes.found(key, request, object);
      }
      case Answer.Missing<String> _ -> {
        rest(key, request, "not found");
        outcomes.missing(key, request);
      }
      case Answer.Refused<String>(String why) -> rest(key, request, why);
      case Answer.Denied<String>(String why) -> {
        rest(key, request, why);
        outcomes.denied(key, request, why);
      }
      case Answer.Unavailable<String>(String why) -> rest(key, request, why);
      case Answer.Unknown<String>(String why) -> doubt(key, request, why);
    }
    setUpkeep();
    outcomes.free(key);
  }

  /** Whatever the read shows, it is no sign that the next write will succeed. */
  private void readBack(Key key, ApiRequest request) {
    holds.put(key, new Hold.UnderWay());
    sender.send(
        request.readBack(),
        answer -> {
          holds.remove(key);
          switch (answer) {
            case Answer.Done<String>(String object) ->
                outcomes.found(key, request.readBack(), object);
            case Answer.Missing<String> _ -> outcomes.missing(key, request);
            case Answer.Refused<String>(String why) -> doubt(key, request, why);
            case Answer.Denied<String>(String why) -> doubt(key, request, why);
            case Answer.Unavailable<String>(String why) -> doubt(key, request, why);
            case Answer.Unknown<String>(String why) -> doubt(key, request, why);
          }
          outcomes.free(key);
        });
  }

  private Failed fail(Key key) {
    Failed last = failures.remove(key);
    int count = last == null ? 1 : last.count() + 1;
    Failed next = new Failed(count, clock.instant().plus(BACK_OFF.after(count)));
    failures.put(key, next);
    return next;
  }

  private void rest(Key key, ApiRequest request, String why) {
    if (fail(key).count() > 1) {
      log.warn("{} failed: {}", request, why);
    } else {
      // A first refusal is the ordinary end of a decision that came too late.
      log.debug("{} failed: {}", request, why);
    }
  }

  private void doubt(Key key, ApiRequest request, String why) {
    holds.put(key, new Hold.InDoubt(fail(key).until(), request));
    log.warn("{}: not known whether it took effect ({}); it is read back", request, why);
  }

  private void setUpkeep() {
    if (!upkeepIsSet && (!failures.isEmpty() || repeats.size() > 0)) {
      upkeepIsSet = true;
      timers.at(Key.Upkeep.WRITES, clock.instant().plus(BACK_OFF.forgottenAfter()));
    }
  }

  /** Forgets what is long past. Asked for with {@link Key.Upkeep#WRITES}. */
  void forgetOld() {
    Instant now = clock.instant();
    Instant longAgo = now.minus(BACK_OFF.forgottenAfter());
    failures
        .entrySet()
        .removeIf(failed ->
            !holds.containsKey(failed.getKey()) && !failed.getValue().until().isAfter(longAgo));
    repeats.forgetOld(now);
    upkeepIsSet = false;
    setUpkeep();
  }

  /** Forgets the failures of a key whose object is gone, unless an answer about it is awaited. */
  void forget(Key key) {
    if (!isUnderWay(key)) {
      failures.remove(key);
      timers.cancel(key);
    }
  }
}
