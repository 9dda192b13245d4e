package io.nodepool.drill.workload;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The work of one Pod, or of a gang, which is only done while all its Pods run. */
final class WorkUnit {
  /** A place for a Pod of the unit: a Pod that ends is replaced. */
  static final class Slot {
    final WorkUnit unit;
    final int index;

    /** The Node to which the Pod is or becomes bound; empty text while the Pod waits. */
    String node = "";

    /** The UID of the Pod, once it is bound. */
    String uid = "";

    /** The Node on which it gets room once preempted Pods have ended; empty text for none. */
    String nominated = "";

    /** Whether its containers run. */
    boolean runs;

    Instant waitsSince;

    private Slot(WorkUnit unit, int index, Instant now) {
      this.unit = unit;
      this.index = index;
      this.waitsSince = now;
    }

    boolean waits() {
      return node.isEmpty();
    }
  }

  final WorkloadState of;
  final Instant created;
  final List<Slot> slots = new ArrayList<>();

  /** The saved work. */
  private Duration saved = Duration.ZERO;

  /** Since when it is being done; empty while it is not. */
  private Optional<Instant> since = Optional.empty();

  /** The work that was done and not saved. */
  Duration lost = Duration.ZERO;

  Optional<Instant> completed = Optional.empty();

  WorkUnit(WorkloadState of, int first, int pods, Instant now) {
    this.of = of;
    this.created = now;
    for (int i = 0; i < pods; i++) {
      slots.add(new Slot(this, first + i, now));
    }
  }

  /** Adds a place for a Pod. */
  Slot another(Instant now) {
    Slot slot = new Slot(this, slots.size(), now);
    slots.add(slot);
    return slot;
  }

  WorkloadManifest workload() {
    return of.workload;
  }

  /** Other Pods run than before. */
  void changed(Instant now) {
    boolean runs = slots.stream().allMatch(slot -> slot.runs);
    if (runs && since.isEmpty()) {
      since = Optional.of(now);
    } else if (!runs && since.isPresent()) {
      Duration done = Duration.between(since.get(), now);
      Duration kept = kept(done);
      saved = saved.plus(kept);
      lost = lost.plus(done.minus(kept));
      since = Optional.empty();
    }
  }

  /** How much work of an uninterrupted run is not lost; a service loses nothing. */
  private Duration kept(Duration done) {
    if (workload().work().lasts().isEmpty() && workload().work().checkpoint().isEmpty()) {
      return done;
    }
    return workload()
        .work()
        .checkpoint()
        .map(each -> each.multipliedBy(done.dividedBy(each)))
        .orElse(Duration.ZERO);
  }

  /** When its work is done if nothing ends it; empty while it is not being done, or never. */
  Optional<Instant> done() {
    return completed.isPresent()
        ? Optional.empty()
        : workload().work().lasts().flatMap(lasts -> since.map(at -> at.plus(lasts.minus(saved))));
  }

  /** How long it was being done, without lost work. */
  Duration effective(Instant now) {
    Instant end = completed.orElse(now);
    return saved.plus(since.map(at -> Duration.between(at, end)).orElse(Duration.ZERO));
  }

  /** How long it has existed, until it was done. */
  Duration existed(Instant now) {
    return Duration.between(created, completed.orElse(now));
  }
}
