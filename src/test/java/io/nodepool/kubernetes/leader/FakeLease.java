package io.nodepool.kubernetes.leader;

import io.nodepool.fleet.Answer;
import java.util.Optional;
import java.util.function.Supplier;

/** A Lease in memory with the semantics of an API server, and with faults. */
final class FakeLease implements LeaseStore {
  /** The outcome of a request. */
  enum Fate {
    ANSWERED,
    TURNED_AWAY,
    LOST_BEFORE,
    LOST_AFTER
  }

  private final Supplier<Fate> fate;
  private Optional<LeaseRecord.Stored> stored = Optional.empty();
  private int version;

  /** Writes that took effect. */
  int writes;

  FakeLease(Supplier<Fate> fate) {
    this.fate = fate;
  }

  /** Another store of the same Lease, with its own faults. */
  LeaseStore behind(Supplier<Fate> other) {
    FakeLease real = this;
    return new LeaseStore() {
      @Override
      public Answer<LeaseRecord.Stored> read() {
        return through(other.get(), real::get);
      }

      @Override
      public Answer<LeaseRecord.Stored> write(LeaseRecord.Stored seen, LeaseRecord next) {
        return through(other.get(), () -> real.put(seen, next));
      }

      @Override
      public Answer<LeaseRecord.Stored> giveBack(String holder) {
        return through(other.get(), () -> real.remove(holder));
      }
    };
  }

  @Override
  public Answer<LeaseRecord.Stored> read() {
    return through(fate.get(), this::get);
  }

  @Override
  public Answer<LeaseRecord.Stored> write(LeaseRecord.Stored seen, LeaseRecord next) {
    return through(fate.get(), () -> put(seen, next));
  }

  @Override
  public Answer<LeaseRecord.Stored> giveBack(String holder) {
    return through(fate.get(), () -> remove(holder));
  }

  private static Answer<LeaseRecord.Stored> through(
      Fate fate, Supplier<Answer<LeaseRecord.Stored>> request) {
    return switch (fate) {
      case ANSWERED -> request.get();
      case TURNED_AWAY -> new Answer.Unavailable<>("turned away");
      case LOST_BEFORE -> new Answer.Unknown<>("no answer");
      case LOST_AFTER -> {
        var _ = request.get();
        yield new Answer.Unknown<>("no answer");
      }
    };
  }

  private Answer<LeaseRecord.Stored> get() {
    return stored.<Answer<LeaseRecord.Stored>>map(Answer.Done::new).orElseGet(Answer.Missing::new);
  }

  private Answer<LeaseRecord.Stored> put(LeaseRecord.Stored seen, LeaseRecord next) {
    if (stored.isEmpty() && !seen.version().isEmpty()) {
      return new Answer.Missing<>();
    }
    if (!stored.map(LeaseRecord.Stored::version).orElse("").equals(seen.version())) {
      return new Answer.Refused<>("another version");
    }
    set(next);
    return get();
  }

  private Answer<LeaseRecord.Stored> remove(String holder) {
    if (stored.isEmpty()) {
      return new Answer.Missing<>();
    }
    LeaseRecord last = stored.get().record();
    if (!last.holder().equals(holder)) {
      return new Answer.Refused<>("another holder");
    }
    set(
        new LeaseRecord(
            "", last.valid(), last.acquired(), last.renewed(), last.transitions(), last.resumed()));
    return get();
  }

  /** Overwrites it unconditionally, as another client may. */
  void set(LeaseRecord next) {
    version++;
    writes++;
    stored = Optional.of(new LeaseRecord.Stored(Integer.toString(version), next));
  }

  /** Deletes it. */
  void delete() {
    stored = Optional.empty();
  }

  /** Its content; fails if it does not exist. */
  LeaseRecord record() {
    return stored.orElseThrow().record();
  }
}
