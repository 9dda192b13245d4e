package io.nodepool.kubernetes.simulated;

import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where writes wait for their answers: at most one under way for a key. A write whose fate is
 * unknown is read back before anything else happens to its object. After a failure the key rests.
 * Lives on the data centre's thread.
 */
final class WriteDesk {
  private static final Logger log = LoggerFactory.getLogger(WriteDesk.class);
  private static final Duration FIRST_REST = Duration.ofMillis(250);
  private static final Duration LONGEST_REST = Duration.ofSeconds(30);

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
    /** The number of failures in a row. */
    int failures();

    /** A write or read is under way. */
    record UnderWay(int failures) implements Hold {}

    /** The last write failed; nothing is done until this time. */
    record Resting(int failures, Instant until) implements Hold {}

    /** Nobody knows whether the write took effect; it is to be read back at this time. */
    record InDoubt(int failures, Instant until, ApiRequest request) implements Hold {}
  }

  private final ApiSender sender;
  private final Timers<Key> timers;
  private final InstantSource clock;
  private final Outcomes outcomes;
  private final Map<Key, Hold> holds = new HashMap<>();

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
      case null -> true;
      case Hold.UnderWay _ -> false;
      case Hold.Resting rest -> isOver(key, rest.until());
      case Hold.InDoubt doubt -> {
        if (isOver(key, doubt.until())) {
          readBack(key, doubt.request(), doubt.failures());
        }
        yield false;
      }
    };
  }

  /** Whether an answer about the key is awaited, or its last write is in doubt. */
  boolean isUnderWay(Key key) {
    return holds.get(key) instanceof Hold.UnderWay || holds.get(key) instanceof Hold.InDoubt;
  }

  private boolean isOver(Key key, Instant until) {
    if (clock.instant().isBefore(until)) {
      timers.at(key, until);
      return false;
    }
    return true;
  }

  /** Sends a write for a key that is free. */
  void submit(Key key, ApiRequest request) {
    Hold last = holds.get(key);
    log.debug("{}", request);
    send(key, request, last == null ? 0 : last.failures());
  }

  private void send(Key key, ApiRequest request, int failures) {
    holds.put(key, new Hold.UnderWay(failures));
    sender.send(request, answer -> answered(key, request, failures, answer));
  }

  private void answered(Key key, ApiRequest request, int failures, Answer<String> answer) {
    switch (answer) {
      case Answer.Done<String>(String object) -> {
        holds.remove(key);
        outcomes.found(key, request, object);
      }
      case Answer.Missing<String> _ -> {
        rest(key, request, failures + 1, "not found");
        outcomes.missing(key, request);
      }
      case Answer.Refused<String>(String why) -> rest(key, request, failures + 1, why);
      case Answer.Denied<String>(String why) -> {
        rest(key, request, failures + 1, why);
        outcomes.denied(key, request, why);
      }
      case Answer.Unavailable<String>(String why) -> rest(key, request, failures + 1, why);
      case Answer.Unknown<String>(String why) -> doubt(key, request, failures + 1, why);
    }
    outcomes.free(key);
  }

  private void readBack(Key key, ApiRequest request, int failures) {
    holds.put(key, new Hold.UnderWay(failures));
    sender.send(
        request.readBack(),
        answer -> {
          switch (answer) {
            case Answer.Done<String>(String object) -> {
              holds.remove(key);
              outcomes.found(key, request.readBack(), object);
            }
            case Answer.Missing<String> _ -> {
              holds.remove(key);
              outcomes.missing(key, request);
            }
            case Answer.Refused<String>(String why) -> doubt(key, request, failures + 1, why);
            case Answer.Denied<String>(String why) -> doubt(key, request, failures + 1, why);
            case Answer.Unavailable<String>(String why) -> doubt(key, request, failures + 1, why);
            case Answer.Unknown<String>(String why) -> doubt(key, request, failures + 1, why);
          }
          outcomes.free(key);
        });
  }

  private void rest(Key key, ApiRequest request, int failures, String why) {
    holds.put(key, new Hold.Resting(failures, clock.instant().plus(wait(failures))));
    if (failures > 1) {
      log.warn("{} failed: {}", request, why);
    } else {
      // A first refusal is the ordinary end of a decision that came too late.
      log.debug("{} failed: {}", request, why);
    }
  }

  private void doubt(Key key, ApiRequest request, int failures, String why) {
    holds.put(key, new Hold.InDoubt(failures, clock.instant().plus(wait(failures)), request));
    log.warn("{}: not known whether it took effect ({}); it is read back", request, why);
  }

  private static Duration wait(int failures) {
    Duration wait = FIRST_REST.multipliedBy(1L << Math.min(failures - 1, 20));
    return wait.compareTo(LONGEST_REST) < 0 ? wait : LONGEST_REST;
  }

  /** Forgets a key whose object is gone, unless an answer about it is awaited. */
  void forget(Key key) {
    if (!isUnderWay(key)) {
      holds.remove(key);
      timers.cancel(key);
    }
  }
}
