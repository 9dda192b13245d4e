package io.nodepool.kubernetes.simulated;

import io.nodepool.control.write.BackOff;
import io.nodepool.control.write.WriteFailure;
import io.nodepool.control.write.WriteHandler;
import io.nodepool.control.write.WriteRequest;
import io.nodepool.control.write.WriteTracker;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.thread.Timers;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Submits the requests of the data centre when the {@link WriteTracker} lets it, and says what came
 * of them. A key with a failed write rests, whatever is wanted next, until a write succeeds. Lives
 * on the data centre's thread.
 */
final class FleetSubmitter {
  private static final Logger log = LoggerFactory.getLogger(FleetSubmitter.class);

  /** What comes of a write or of reading it back. */
  interface Outcomes {
    /** This is how the object stands now. */
    void found(FleetKey key, ApiRequest request, String object);

    /** A write is not allowed, and will not be until something changes. */
    void denied(FleetKey key, ApiRequest request, String why);

    /** The object is not there. */
    void missing(FleetKey key, ApiRequest request);

    /** The key is free again. */
    void free(FleetKey key);
  }

  /** A request about a key. */
  private record Submission(FleetKey subject, ApiRequest request, Map<String, Object> effects)
      implements WriteRequest<FleetKey> {
    /** All requests about a key fail together. */
    static final String KIND = "write";

    @Override
    public Object kind() {
      return KIND;
    }

    @Override
    public String toString() {
      return request.toString();
    }
  }

  private final ApiSender sender;
  private final Timers<FleetKey> timers;
  private final InstantSource clock;
  private final Outcomes outcomes;
  private final WriteTracker<FleetKey, Submission, String> tracker;

  FleetSubmitter(
      ApiSender sender, Timers<FleetKey> timers, InstantSource clock, Outcomes outcomes) {
    this.sender = sender;
    this.timers = timers;
    this.clock = clock;
    this.outcomes = outcomes;
    this.tracker = new WriteTracker<>(new Answers(), clock, BackOff.DEFAULTS);
  }

  /** Entries held, by what holds them, for leak checks. */
  Map<String, Integer> sizes() {
    return tracker.sizes();
  }

  /** Whether an answer about the key is awaited, or its last write is in doubt. */
  boolean isUnderWay(FleetKey key) {
    return tracker.isUnderWay(key);
  }

  /**
   * Whether the key may be decided on now. If not, it is woken when it may be: by an answer or by
   * its timer.
   */
  boolean isFree(FleetKey key) {
    return !isUnderWay(key) && isOver(key, tracker.restsUntil(key, Submission.KIND));
  }

  private boolean isOver(FleetKey key, Instant until) {
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
  void submit(FleetKey key, ApiRequest request, Map<String, Object> effects) {
    Submission wanted = new Submission(key, request, effects);
    if (isOver(key, tracker.notBefore(wanted))) {
      log.debug("{}", request);
      tracker.send(wanted);
    }
  }

  /** Settles what became of writes. Asked for with {@link FleetKey.Upkeep#WRITES}. */
  void look() {
    tracker.look().ifPresent(next -> timers.at(FleetKey.Upkeep.WRITES, next));
  }

  /** Forgets the failures of a key whose object is gone, unless an answer about it is awaited. */
  void forget(FleetKey key) {
    if (!isUnderWay(key)) {
      tracker.forget(key, Submission.KIND);
      timers.cancel(key);
    }
  }

  private final class Answers implements WriteHandler<Submission, String> {
    @Override
    public void send(Submission sent, Consumer<Answer<String>> answer) {
      sender.send(sent.request(), answer);
    }

    @Override
    public void read(Submission sent, Consumer<Answer<String>> answer) {
      sender.send(sent.request().readBack(), answer);
    }

    @Override
    public void lookAt(Instant time) {
      timers.at(FleetKey.Upkeep.WRITES, time);
    }

    @Override
    public void done(Submission sent, String object) {
      outcomes.found(sent.subject(), sent.request(), object);
    }

    @Override
    public void found(Submission sent, String object) {
      outcomes.found(sent.subject(), sent.request().readBack(), object);
    }

    @Override
    public void missing(Submission sent) {
      outcomes.missing(sent.subject(), sent.request());
    }

    @Override
    public void failed(Submission sent, WriteFailure<Submission> failure, Answer<String> answer) {
      if (failure.count() > 1) {
        log.warn("{} failed: {}", sent, failure.why());
      } else {
        // A first refusal is the ordinary end of a decision that came too late.
        log.debug("{} failed: {}", sent, failure.why());
      }
      if (answer instanceof Answer.Denied<String>(String why)) {
        outcomes.denied(sent.subject(), sent.request(), why);
      } else if (answer instanceof Answer.Missing<String>) {
        outcomes.missing(sent.subject(), sent.request());
      }
    }

    @Override
    public void free(Submission sent) {
      outcomes.free(sent.subject());
    }
  }
}
