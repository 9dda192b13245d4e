package io.nodepool.control.write;

import io.nodepool.fleet.Answer;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The user of a {@link WriteTracker}: sends its requests, and receives their results.
 *
 * @param <R> the requests
 * @param <T> the result of a successful request: its object
 */
public interface WriteHandler<R, T> {
  /** Sends the request once; the answer arrives once, later. */
  void send(R request, Consumer<Answer<T>> answer);

  /** Reads the request's object live. */
  void read(R request, Consumer<Answer<T>> answer);

  /** Requests a {@link WriteTracker#runDue} at this time or earlier; it replaces a later time. */
  void wakeAt(Instant time);

  /** Whether a request with this answer counts as a write that may be repeated. */
  default boolean hasEffect(R request, T object) {
    return true;
  }

  /**
   * It is certain whether the request took effect. Called before the callback that delivers the
   * object.
   */
  default void resolved(R request) {}

  /** The request took effect. */
  void done(R request, T object);

  /** The object as it was read after a request whose answer was lost. */
  void found(R request, T object);

  /** The read after a request whose answer was lost found that the object does not exist. */
  default void missing(R request) {}

  /** The request did not take effect. */
  void failed(R request, WriteFailure<R> failure, Answer<T> answer);

  /** It is uncertain whether the request took effect; the object will be read. */
  default void inDoubt(R request, WriteFailure<R> failure) {}

  /**
   * The failures of a kind of request are discarded: a request succeeded, or none was retried for a
   * while.
   */
  default void recovered(WriteFailure<R> last) {}

  /** This request no longer blocks writes on the object. */
  void free(R request);

  /**
   * Discards expired records that the handler itself keeps about writes.
   *
   * @return when to run again
   */
  default Optional<Instant> forgetOld(Instant now) {
    return Optional.empty();
  }
}
