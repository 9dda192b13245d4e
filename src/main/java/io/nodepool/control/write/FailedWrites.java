package io.nodepool.control.write;

import io.nodepool.fleet.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Failed requests, kept until a request of the same kind on the object succeeds, or none was tried
 * for a while. A live read that resolves a request in doubt does not count as a success. Confined
 * to one thread.
 */
final class FailedWrites<S, R extends WriteRequest<S>> {
  /** The requests whose failures are counted together. */
  private record Wanted<S>(S subject, Object kind) {}

  private final BackOff backOff;

  /** The failures, those with the oldest last failure first. */
  private final SequencedMap<Wanted<S>, WriteFailure<R>> failed = new LinkedHashMap<>();

  FailedWrites(BackOff backOff) {
    this.backOff = backOff;
  }

  private static <S> Wanted<S> wanted(WriteRequest<S> request) {
    return new Wanted<>(request.subject(), request.kind());
  }

  /** The earlier failures of such a request. */
  Optional<WriteFailure<R>> of(R request) {
    return Optional.ofNullable(failed.get(wanted(request)));
  }

  /**
   * When both the request and the request that it prepares may be tried; {@link Instant#MIN} if
   * neither failed.
   */
  Instant until(R request) {
    Instant own = until(request.subject(), request.kind());
    Instant prepared =
        request.prepares().map(kind -> until(request.subject(), kind)).orElse(Instant.MIN);
    return own.isAfter(prepared) ? own : prepared;
  }

  /** When such a request may be tried; {@link Instant#MIN} if none failed. */
  Instant until(S subject, Object kind) {
    WriteFailure<R> last = failed.get(new Wanted<>(subject, kind));
    return last == null ? Instant.MIN : last.until();
  }

  /** Counts one more failure. */
  WriteFailure<R> add(R request, Answer<?> answer, String why, Instant now) {
    WriteFailure<R> last = failed.remove(wanted(request));
    int count = last == null ? 1 : last.count() + 1;
    Duration wait = count == 1 && request.isRetriedAtOnce() ? Duration.ZERO : backOff.after(count);
    WriteFailure<R> next =
        new WriteFailure<>(
            request,
            count,
            now.plus(wait),
            why,
            answer instanceof Answer.Denied<?> || (last != null && last.denied()),
            answer instanceof Answer.Unknown<?>);
    failed.put(wanted(request), next);
    return next;
  }

  /** Forgets the failures of a kind of request on an object. */
  Optional<WriteFailure<R>> forget(S subject, Object kind) {
    return Optional.ofNullable(failed.remove(new Wanted<>(subject, kind)));
  }

  /** Removes and returns the expired failures. */
  List<WriteFailure<R>> forgetOld(Instant now) {
    List<WriteFailure<R>> old = new ArrayList<>();
    while (!failed.isEmpty() && !isForgottenAt(failed.firstEntry().getValue()).isAfter(now)) {
      old.add(failed.pollFirstEntry().getValue());
    }
    return old;
  }

  /** When the next failure expires. */
  Optional<Instant> nextForgotten() {
    return failed.isEmpty()
        ? Optional.empty()
        : Optional.of(isForgottenAt(failed.firstEntry().getValue()));
  }

  private Instant isForgottenAt(WriteFailure<R> failure) {
    return failure.until().plus(backOff.forgottenAfter());
  }

  /** The number of failed requests that may not be retried yet. */
  int resting(Instant now) {
    return (int) failed.values().stream().filter(each -> each.until().isAfter(now)).count();
  }

  int size() {
    return failed.size();
  }
}
