package io.nodepool.control.write;

import io.nodepool.fleet.Answer;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The user of a {@link WriteTracker}: sends its requests, and is told what became of them.
 *
 * @param <R> the requests
 * @param <T> what a successful one yields: its object
 */
public interface WriteHandler<R, T> {
  /** Sends the request once; it is answered once, later. */
  void send(R request, Consumer<Answer<T>> answer);

  /** Reads the request's object live. */
  void read(R request, Consumer<Answer<T>> answer);

  /** Asks for a {@link WriteTracker#look} at this time, or before; it replaces a later one. */
  void lookAt(Instant time);

  /** Whether a request that was answered like this may count as a repeat of the one before. */
  default boolean hasEffect(R request, T object) {
    return true;
  }

  /** It is known whether the request took effect. Comes before what is told of its object. */
  default void settled(R request) {}

  /** The request took effect. */
  void done(R request, T object);

  /** The object as it was read after a request whose answer was lost. */
  void found(R request, T object);

  /** The read after a request whose answer was lost says that there is no object. */
  default void missing(R request) {}

  /** The request did not take effect. */
  void failed(R request, WriteFailure<R> failure, Answer<T> answer);

  /** It is not known whether the request took effect, and the object will be read. */
  default void inDoubt(R request, WriteFailure<R> failure) {}

  /** Requests of a kind that failed are counted no more: one succeeded, or nobody tried again. */
  default void recovered(WriteFailure<R> last) {}

  /** The object may be written to again, as far as this request is concerned. */
  void free(R request);

  /**
   * Forgets what the handler itself remembers of writes for a while.
   *
   * @return when to do so again
   */
  default Optional<Instant> forgetOld(Instant now) {
    return Optional.empty();
  }
}
