package io.nodepool.control;

import io.nodepool.plan.Action;
import io.nodepool.plan.Effects;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * Actions that failed, until one of the kind succeeds on the object or nobody asks for it any more.
 * A live read in between settles what became of an action, not that the next one will succeed.
 * Lives on the decision thread.
 */
final class Failures {
  /** What the failures of are counted together. */
  private record Wanted(Action.Subject subject, Object kind) {
    static Wanted of(Action action) {
      return new Wanted(action.subject(), Effects.kind(action));
    }
  }

  /**
   * Failures in a row.
   *
   * @param action the last one that failed
   * @param until when it may be tried again
   * @param told whether the inventory was told
   */
  record Failure(Action action, int count, Instant until, String why, boolean told) {}

  private final BackOff backOff;

  /** Those come first that failed longest ago. */
  private final SequencedMap<Wanted, Failure> failed = new LinkedHashMap<>();

  Failures(BackOff backOff) {
    this.backOff = backOff;
  }

  /** What is known of earlier failures of such an action. */
  Optional<Failure> of(Action action) {
    return Optional.ofNullable(failed.get(Wanted.of(action)));
  }

  /** When the action may be tried, and the write that it prepares; long past if neither failed. */
  Instant until(Action action) {
    return Stream.concat(
            Stream.of(Wanted.of(action)),
            Effects.prepares(action).stream().map(kind -> new Wanted(action.subject(), kind)))
        .flatMap(wanted -> Optional.ofNullable(failed.get(wanted)).stream())
        .map(Failure::until)
        .max(Instant::compareTo)
        .orElse(Instant.MIN);
  }

  /**
   * Counts one more failure.
   *
   * @param tell whether the inventory is told now, if it was not before
   */
  Failure add(Action action, String why, boolean tell, Instant now) {
    Wanted wanted = Wanted.of(action);
    Failure last = failed.remove(wanted);
    int count = last == null ? 1 : last.count() + 1;
    Failure next =
        new Failure(
            action,
            count,
            now.plus(backOff.after(count)),
            why,
            tell || (last != null && last.told()));
    failed.put(wanted, next);
    return next;
  }

  /** Forgets the failures of an action that succeeded. */
  Optional<Failure> succeeded(Action action) {
    return Optional.ofNullable(failed.remove(Wanted.of(action)));
  }

  /** Takes out those that nobody tried again for long. */
  List<Failure> forgetOld(Instant now) {
    List<Failure> old = new ArrayList<>();
    while (!failed.isEmpty() && !isForgottenAt(failed.firstEntry().getValue()).isAfter(now)) {
      old.add(failed.pollFirstEntry().getValue());
    }
    return old;
  }

  /** When to look for such again. */
  Optional<Instant> nextForgotten() {
    return failed.isEmpty()
        ? Optional.empty()
        : Optional.of(isForgottenAt(failed.firstEntry().getValue()));
  }

  private Instant isForgottenAt(Failure failure) {
    return failure.until().plus(backOff.forgottenAfter());
  }

  /** How many may not be tried yet. */
  int resting(Instant now) {
    return (int) failed.values().stream().filter(each -> each.until().isAfter(now)).count();
  }

  int size() {
    return failed.size();
  }
}
