package io.nodepool.control.write;

import java.util.Map;
import java.util.Optional;

/**
 * A write on one object, for a {@link WriteTracker}. Its {@code toString} appears in the log.
 *
 * @param <S> identifies an object
 */
public interface WriteRequest<S> {
  /** The object. */
  S subject();

  /**
   * The kind of request. Requests of one kind on one object fail for the same cause, whatever they
   * set.
   */
  Object kind();

  /**
   * The values that the request sets, part by part, without timestamps; empty if it may be repeated
   * at any time.
   */
  Map<String, Object> effects();

  /**
   * The kind of write on the same object that this request prepares. The request waits while that
   * write may not be retried.
   */
  default Optional<Object> prepares() {
    return Optional.empty();
  }

  /** Whether the first retry after a failure is sent at once; the others wait as all do. */
  default boolean isRetriedAtOnce() {
    return false;
  }

  /** The part that may be set immediately after this request, however often it was set before. */
  default Optional<String> exempts() {
    return Optional.empty();
  }
}
