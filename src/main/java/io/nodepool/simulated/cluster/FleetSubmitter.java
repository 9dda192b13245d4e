package io.nodepool.simulated.cluster;

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
 * Submits the requests of the data centre when the {@link WriteTracker} allows it, and reports
 * their outcomes. A key with a failed write waits before any further write, until one succeeds.
 * Confined to the data centre's thread.
 */
final class FleetSubmitter {
  private static final Logger log = LoggerFactory.getLogger(FleetSubmitter.class);

  /** From this number of failures in a row on, an unanswered write counts as denied. */
  private static final int REPORTED_FROM = 3;

  /** The outcomes of a write, or of the live read that follows it. */
  interface Outcomes {
    /** The current state of the object. */
    void found(FleetKey key, ApiRequest request, String object);

    /** A write is not allowed, or not answered, and remains so until something changes. */
    void denied(FleetKey key, ApiRequest request, String why);

    /** The object does not exist. */
    void missing(FleetKey key, ApiRequest request);

    /** The key may be reconciled again. */
    void free(FleetKey key);
  }

  /** A request about a key. */
  private record Submission(FleetKey subject, ApiRequest request, Map<String, Object> effects)
      implements WriteRequest<FleetKey> {
    /** One kind for all requests: a failure delays every request about the key. */
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

  /** The number of entries held, by holder, for leak checks. */
  Map<String, Integer> sizes() {
    return tracker.sizes();
  }

  /** Whether a write about the key is in flight or in doubt. */
  boolean isUnderWay(FleetKey key) {
    return tracker.isUnderWay(key);
  }

  /**
   * Whether the key may be reconciled now. If not, it is woken later, by an answer or by its timer.
   */
  boolean isFree(FleetKey key) {
    return !isUnderWay(key) && isDueOrWakes(key, tracker.restsUntil(key, Submission.KIND));
  }

  /** Whether the time has come. If not, the key is woken then. */
  private boolean isDueOrWakes(FleetKey key, Instant until) {
    if (clock.instant().isBefore(until)) {
      timers.at(key, until);
      return false;
    }
    return true;
  }

  /**
   * Sends a write for a free key. If the same write was sent recently and was undone, the key is
   * woken later instead.
   *
   * @param effects the effects of the write, part by part; empty if it has an interval of its own
   */
  void submit(FleetKey key, ApiRequest request, Map<String, Object> effects) {
    Submission wanted = new Submission(key, request, effects);
    if (isDueOrWakes(key, tracker.notBefore(wanted))) {
      log.debug("{}", request);
      tracker.send(wanted);
    }
  }

  /**
   * Reads back writes in doubt and forgets past ones; called for {@link FleetKey.Upkeep#WRITES}.
   */
  void runDue() {
    tracker.runDue().ifPresent(next -> timers.at(FleetKey.Upkeep.WRITES, next));
  }

  /**
   * Forgets the failures of a key whose object was deleted, unless a write is in flight or in
   * doubt.
   */
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
    public void wakeAt(Instant time) {
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
        log.warn("{} ({}); it is tried again", failure.why(), sent);
      } else {
        // A first refusal is normal: the decision was outdated.
        log.debug("{} ({})", failure.why(), sent);
      }
      if (answer instanceof Answer.Denied<String>(String why, boolean _)) {
        outcomes.denied(sent.subject(), sent.request(), why);
      } else if (answer instanceof Answer.Unavailable<String>) {
        inDoubt(sent, failure);
      } else if (answer instanceof Answer.Missing<String>) {
        outcomes.missing(sent.subject(), sent.request());
      }
    }

    /** Reports an unanswered write like a denied one, for example while a webhook hangs. */
    @Override
    public void inDoubt(Submission sent, WriteFailure<Submission> failure) {
      if (failure.count() >= REPORTED_FROM) {
        outcomes.denied(sent.subject(), sent.request(), failure.why());
      }
    }

    @Override
    public void free(Submission sent) {
      outcomes.free(sent.subject());
    }
  }
}
