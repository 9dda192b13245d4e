package io.nodepool.kubernetes.leader;

import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.OutageLog;
import io.nodepool.kubernetes.client.WriteGate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A candidate for leadership, run step by step: it leads while it holds the Lease. Another holder
 * is respected until the Lease has not changed for the duration that the Lease states, measured on
 * the monotonic clock since this process observed the last change. So clocks of different processes
 * are never compared for this decision. The times in the Lease only show how long no process led.
 * Confined to one thread, except for {@link #isOpen} and {@link #resumed}.
 */
public final class LeaderElection implements WriteGate {
  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
  private static final Duration VALID = Duration.ofSeconds(15);
  private static final Duration RENEW_EVERY = Duration.ofSeconds(2);
  private static final Duration RENEW_WITHIN = Duration.ofSeconds(10);
  private static final Duration WRITES_AFTER_RENEWAL = Duration.ofSeconds(8);

  /** Short, so that a released Lease is taken at once. */
  private static final Duration READ_EVERY = Duration.ofMillis(300);

  /** The events of an election, on its thread; each but {@link #resumed} at most once. */
  public interface Events {
    /** Another process was observed to lead before this one does. */
    void waits();

    /**
     * No process led for longer than {@link Terms#outage}, and a process has led again since then.
     * Called before {@link #won}, also if an earlier leader recorded it, and after each further
     * outage.
     *
     * @param at when the outage ended, by the wall clock
     */
    void resumed(Instant at);

    /** This process leads. */
    void won();

    /** This process no longer leads, without having released the Lease. */
    void lost();
  }

  /**
   * How a process competes.
   *
   * @param outage the time without a renewal after which the Lease counts as having had no leader
   * @param settings the settings of this process that are not the defaults, as recorded on the
   *     Lease
   */
  public record Terms(Rivals rivals, Duration outage, String settings) {}

  /** Whether other processes may compete for the Lease. */
  public enum Rivals {
    /**
     * Others may compete: a leader that cannot renew in time ends, so that another process takes
     * over.
     */
    POSSIBLE,
    /**
     * No others exist: a leader that cannot renew writes nothing, and continues once it can renew.
     * It ends only if it finds another holder.
     */
    NONE
  }

  private enum Phase {
    CANDIDATE,
    LEADING,
    ENDED
  }

  /**
   * The last observed state of the Lease, and when it was first observed, on the monotonic clock.
   */
  private record Observed(LeaseRecord record, long since) {}

  private final LeaseStore store;
  private final String identity;
  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private final Terms terms;
  private final Events events;
  private final OutageLog outage;

  private Phase phase = Phase.CANDIDATE;
  private Optional<Observed> observed = Optional.empty();
  private boolean waits;

  /** The Lease as this process last wrote it, or read it while it held it. */
  private volatile LeaseRecord.Stored held = LeaseRecord.Stored.NONE;

  /** The end of the last outage that {@link Events#resumed} was called for. */
  private Optional<Instant> reported = Optional.empty();

  /** Whether a write of this process may have taken the Lease, or may still take it. */
  private boolean mayHold;

  /** When the last successful write of the Lease was sent, on the monotonic clock. */
  private volatile Optional<Long> renewed = Optional.empty();

  /**
   * A candidate that has not read the Lease yet.
   *
   * @param identity the identity of this process
   * @param wall the wall clock, for the times in the Lease
   * @param nanoTime the monotonic clock
   */
  LeaderElection(
      LeaseStore store,
      String identity,
      InstantSource wall,
      LongSupplier nanoTime,
      Terms terms,
      Events events) {
    this.terms = terms;
    this.store = store;
    this.identity = identity;
    this.wall = wall;
    this.nanoTime = nanoTime;
    this.events = events;
    this.outage =
        new OutageLog("the Lease cannot be read or written", nanoTime, log::warn, log::info);
  }

  /** Whether the Lease was renewed less than 8 s ago. */
  @Override
  public boolean isOpen() {
    return isRenewedWithin(WRITES_AFTER_RENEWAL);
  }

  @Override
  public Optional<Instant> resumed() {
    return held.record().resumed(terms.outage(), wall.instant());
  }

  private Duration since(long nanos) {
    return Duration.ofNanos(nanoTime.getAsLong() - nanos);
  }

  /**
   * Reads the Lease, and takes or renews it.
   *
   * @return how long to wait before the next step; empty if there is none
   */
  Optional<Duration> step() {
    switch (phase) {
      case CANDIDATE -> campaign();
      case LEADING -> renew();
      case ENDED -> {}
    }
    return switch (phase) {
      case CANDIDATE -> Optional.of(READ_EVERY);
      case LEADING -> Optional.of(isRenewedWithin(RENEW_EVERY) ? RENEW_EVERY : READ_EVERY);
      case ENDED -> Optional.empty();
    };
  }

  private boolean isRenewedWithin(Duration time) {
    return renewed.filter(when -> since(when).compareTo(time) < 0).isPresent();
  }

  private void campaign() {
    switch (store.read()) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored found) -> {
        outage.worked();
        observe(found.record());
        if (isFree(found.record())) {
          take(found);
        }
      }
      case Answer.Missing<LeaseRecord.Stored> _ -> take(LeaseRecord.Stored.NONE);
      case Answer.Failed<LeaseRecord.Stored> failed -> outage.failed(failed.why());
    }
  }

  private void observe(LeaseRecord found) {
    Optional<String> before = observed.map(last -> last.record().holder());
    if (observed.filter(last -> last.record().equals(found)).isEmpty()) {
      observed = Optional.of(new Observed(found, nanoTime.getAsLong()));
    }
    if (!found.holder().isEmpty() && !before.equals(Optional.of(found.holder()))) {
      log.info("the leader is {}", found.holder());
    }
    if (!waits && !found.holder().isEmpty() && !found.holder().equals(identity)) {
      waits = true;
      events.waits();
    }
  }

  /** Whether the Lease has no holder, is held by this process, or has expired. */
  private boolean isFree(LeaseRecord found) {
    if (found.holder().isEmpty() || found.holder().equals(identity)) {
      return true;
    }
    Duration valid = found.valid().isZero() ? VALID : found.valid();
    return observed.filter(last -> since(last.since()).compareTo(valid) >= 0).isPresent();
  }

  private void take(LeaseRecord.Stored found) {
    boolean before = mayHold;
    mayHold = true;
    long sent = nanoTime.getAsLong();
    switch (store.write(found, next(found))) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored written) -> win(written, sent);
      case Answer.Refused<LeaseRecord.Stored> _, Answer.Missing<LeaseRecord.Stored> _ -> {
        mayHold = before;
        log.debug("another process took the Lease first");
      }
      case Answer.Unknown<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Failed<LeaseRecord.Stored> failed -> {
        mayHold = before;
        outage.failed(failed.why());
      }
    }
  }

  private LeaseRecord next(LeaseRecord.Stored found) {
    return found.record().heldBy(identity, VALID, terms.outage(), wall.instant());
  }

  private void win(LeaseRecord.Stored written, long sent) {
    phase = Phase.LEADING;
    log.info("this process leads as {}", identity);
    renewed(written, sent);
    events.won();
  }

  private void renewed(LeaseRecord.Stored written, long sent) {
    held = written;
    renewed = Optional.of(sent);
    outage.worked();
    Optional<Instant> last = reported;
    reported = written.record().resumed();
    reported.filter(at -> !last.equals(Optional.of(at))).ifPresent(events::resumed);
  }

  /**
   * Renews the Lease, even after a long pause: it is still held if no other process has taken it.
   */
  private void renew() {
    long sent = nanoTime.getAsLong();
    switch (store.write(held, next(held))) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored written) -> renewed(written, sent);
      case Answer.Refused<LeaseRecord.Stored> _, Answer.Missing<LeaseRecord.Stored> _ ->
          readAgain();
      case Answer.Failed<LeaseRecord.Stored> failed -> outage.failed(failed.why());
    }
    if (phase == Phase.LEADING
        && !isRenewedWithin(RENEW_WITHIN)
        && terms.rivals() == Rivals.POSSIBLE) {
      lose("the Lease was not renewed for " + RENEW_WITHIN.toSeconds() + " s");
    }
  }

  /**
   * Reads the Lease again after a refusal: an answer was lost, or another client wrote the Lease.
   */
  private void readAgain() {
    switch (store.read()) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored found) -> {
        String holder = found.record().holder();
        if (holder.isEmpty() || holder.equals(identity)) {
          held = found;
        } else {
          lose(holder + " leads");
        }
      }
      case Answer.Missing<LeaseRecord.Stored> _ -> held = LeaseRecord.Stored.NONE;
      case Answer.Failed<LeaseRecord.Stored> failed -> outage.failed(failed.why());
    }
  }

  private void lose(String why) {
    log.warn("leadership is lost: {}", why);
    renewed = Optional.empty();
    phase = Phase.ENDED;
    events.lost();
  }

  /** Ends the candidacy, and releases the Lease if this process may hold it. */
  void giveBack() {
    phase = Phase.ENDED;
    renewed = Optional.empty();
    if (!mayHold) {
      return;
    }
    mayHold = false;
    switch (store.giveBack(identity)) {
      case Answer.Done<LeaseRecord.Stored> _ -> log.info("the Lease is released");
      case Answer.Refused<LeaseRecord.Stored> _, Answer.Missing<LeaseRecord.Stored> _ ->
          log.info("another process already leads: there is no Lease to release");
      case Answer.Failed<LeaseRecord.Stored> failed ->
          log.warn(
              "the Lease could not be released; another process takes over when it expires: {}",
              failed.why());
    }
  }
}
