package io.nodepool.kubernetes.leader;

import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.OutageLog;
import io.nodepool.kubernetes.client.WriteGate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One process that stands for leadership, step by step: it leads while it holds the Lease. A holder
 * is respected until the Lease has not changed for as long as it says, counted by the monotonic
 * clock from when this process saw its last change. No clock is compared with another one's: the
 * times in the Lease are for people. Lives on one thread but for {@link #isOpen}.
 */
public final class LeaderElection implements WriteGate {
  private static final Logger log = LoggerFactory.getLogger(LeaderElection.class);
  private static final Duration VALID = Duration.ofSeconds(15);
  private static final Duration RENEW_EVERY = Duration.ofSeconds(2);
  private static final Duration RENEW_WITHIN = Duration.ofSeconds(10);
  private static final Duration WRITES_AFTER_RENEWAL = Duration.ofSeconds(8);

  /** A Lease that was given back is not to lie about for seconds. */
  private static final Duration LOOK_EVERY = Duration.ofMillis(300);

  /** What is told of an election, each at most once and on its thread. */
  public interface Events {
    /** Somebody else is seen to lead before this process does. */
    void waits();

    /** This process leads. */
    void won();

    /** This process led and does not any more, without having given it up. */
    void lost();
  }

  private enum Phase {
    STANDING,
    LEADING,
    OVER
  }

  /** What the Lease last said, and since when by the monotonic clock. */
  private record Sighting(LeaseRecord record, long since) {}

  private final LeaseStore store;
  private final String identity;
  private final InstantSource wall;
  private final LongSupplier nanoTime;
  private final Events events;
  private final OutageLog outage;

  private Phase phase = Phase.STANDING;
  private Optional<Sighting> seen = Optional.empty();
  private boolean waits;

  /** The Lease as this process wrote it last, or found it to hold it. */
  private LeaseRecord.Stored held = LeaseRecord.Stored.NONE;

  /** Whether a write of ours may have taken the Lease, or may still. */
  private boolean mayHold;

  /** When the write was sent that took or renewed the Lease last, by the monotonic clock. */
  private volatile Optional<Long> renewed = Optional.empty();

  /**
   * A candidate that has not looked yet.
   *
   * @param identity what tells this process from others
   * @param wall the wall clock, for what the Lease says to people
   * @param nanoTime the monotonic clock
   */
  LeaderElection(
      LeaseStore store, String identity, InstantSource wall, LongSupplier nanoTime, Events events) {
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
    return renewed.map(when -> since(when).compareTo(WRITES_AFTER_RENEWAL) < 0).orElse(false);
  }

  private Duration since(long nanos) {
    return Duration.ofNanos(nanoTime.getAsLong() - nanos);
  }

  /**
   * Looks at the Lease, takes or renews it.
   *
   * @return how long to wait before the next step; empty if there is none
   */
  Optional<Duration> step() {
    switch (phase) {
      case STANDING -> stand();
      case LEADING -> renew();
      case OVER -> {}
    }
    return switch (phase) {
      case STANDING -> Optional.of(LOOK_EVERY);
      case LEADING -> Optional.of(isFresh() ? RENEW_EVERY : LOOK_EVERY);
      case OVER -> Optional.empty();
    };
  }

  private boolean isFresh() {
    return renewed.map(when -> since(when).compareTo(RENEW_EVERY) < 0).orElse(false);
  }

  private void stand() {
    switch (store.read()) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored found) -> {
        outage.worked();
        note(found.record());
        if (isFree(found.record())) {
          take(found);
        }
      }
      case Answer.Missing<LeaseRecord.Stored> _ -> take(LeaseRecord.Stored.NONE);
      case Answer.Refused<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Denied<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Unavailable<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Unknown<LeaseRecord.Stored>(String why) -> outage.failed(why);
    }
  }

  private void note(LeaseRecord found) {
    Optional<String> before = seen.map(sighting -> sighting.record().holder());
    if (seen.filter(sighting -> sighting.record().equals(found)).isEmpty()) {
      seen = Optional.of(new Sighting(found, nanoTime.getAsLong()));
    }
    if (!found.holder().isEmpty() && !before.equals(Optional.of(found.holder()))) {
      log.info("the leader is {}", found.holder());
    }
    if (!waits && !found.holder().isEmpty() && !found.holder().equals(identity)) {
      waits = true;
      events.waits();
    }
  }

  /** Whether nobody holds it, or this process, or somebody who has not been heard of for long. */
  private boolean isFree(LeaseRecord found) {
    if (found.holder().isEmpty() || found.holder().equals(identity)) {
      return true;
    }
    Duration valid = found.valid().isZero() ? VALID : found.valid();
    return seen.filter(sighting -> since(sighting.since()).compareTo(valid) >= 0).isPresent();
  }

  private void take(LeaseRecord.Stored found) {
    boolean before = mayHold;
    mayHold = true;
    long sent = nanoTime.getAsLong();
    switch (store.write(found, found.record().heldBy(identity, VALID, wall.instant()))) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored written) -> win(written, sent);
      case Answer.Refused<LeaseRecord.Stored> _, Answer.Missing<LeaseRecord.Stored> _ -> {
        mayHold = before;
        log.debug("somebody else was faster");
      }
      case Answer.Denied<LeaseRecord.Stored>(String why) -> {
        mayHold = before;
        outage.failed(why);
      }
      case Answer.Unavailable<LeaseRecord.Stored>(String why) -> {
        mayHold = before;
        outage.failed(why);
      }
      case Answer.Unknown<LeaseRecord.Stored>(String why) -> outage.failed(why);
    }
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
  }

  /** After a pause, however long, too: it is still held if nobody else has taken it. */
  private void renew() {
    long sent = nanoTime.getAsLong();
    switch (store.write(held, held.record().heldBy(identity, VALID, wall.instant()))) {
      case Answer.Done<LeaseRecord.Stored>(LeaseRecord.Stored written) -> renewed(written, sent);
      case Answer.Refused<LeaseRecord.Stored> _, Answer.Missing<LeaseRecord.Stored> _ -> find();
      case Answer.Denied<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Unavailable<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Unknown<LeaseRecord.Stored>(String why) -> outage.failed(why);
    }
    boolean late = renewed.filter(when -> since(when).compareTo(RENEW_WITHIN) < 0).isEmpty();
    if (phase == Phase.LEADING && late) {
      lose("the Lease was not renewed for " + RENEW_WITHIN.toSeconds() + " s");
    }
  }

  /** The Lease is not as this process knows it: an answer was lost, or somebody wrote it. */
  private void find() {
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
      case Answer.Refused<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Denied<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Unavailable<LeaseRecord.Stored>(String why) -> outage.failed(why);
      case Answer.Unknown<LeaseRecord.Stored>(String why) -> outage.failed(why);
    }
  }

  private void lose(String why) {
    log.warn("leadership is lost: {}", why);
    renewed = Optional.empty();
    phase = Phase.OVER;
    events.lost();
  }

  /** Ends, and gives the Lease back if it may be this process's. */
  void giveBack() {
    phase = Phase.OVER;
    renewed = Optional.empty();
    if (!mayHold) {
      return;
    }
    mayHold = false;
    switch (store.giveBack(identity)) {
      case Answer.Done<LeaseRecord.Stored> _ -> log.info("the Lease is given back");
      case Answer.Refused<LeaseRecord.Stored> _, Answer.Missing<LeaseRecord.Stored> _ ->
          log.info("somebody else leads by now: there is no Lease to give back");
      case Answer.Denied<LeaseRecord.Stored>(String why) -> notGivenBack(why);
      case Answer.Unavailable<LeaseRecord.Stored>(String why) -> notGivenBack(why);
      case Answer.Unknown<LeaseRecord.Stored>(String why) -> notGivenBack(why);
    }
  }

  private static void notGivenBack(String why) {
    log.warn("the Lease could not be given back; another process leads in a while: {}", why);
  }
}
