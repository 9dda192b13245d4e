package io.nodepool.fleet;

/**
 * The one answer to a write or a live read.
 *
 * @param <T> what a successful one yields
 */
public sealed interface Answer<T> {
  /** It took effect, now or when it was sent before; this is the object after it. */
  record Done<T>(T object) implements Answer<T> {}

  /** It did not take effect, because what it was decided on is no longer so. Decide again. */
  record Refused<T>(String why) implements Answer<T> {}

  /**
   * It did not take effect, and the server does not allow it: 403, or what is asked for is not
   * valid. The same request is refused until something else changes.
   */
  record Denied<T>(String why) implements Answer<T> {}

  /** The object is gone. */
  record Missing<T>() implements Answer<T> {}

  /** It did not take effect for a reason that passes; the same may be tried later. */
  record Unavailable<T>(String why) implements Answer<T> {}

  /** Nobody knows whether it took effect. Only a live read of the object decides. */
  record Unknown<T>(String why) implements Answer<T> {}
}
