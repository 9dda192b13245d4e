package io.nodepool.fleet;

import java.util.function.Function;

/**
 * The result of a write or a live read. Each request has exactly one.
 *
 * @param <T> the type of the object that a successful request returns
 */
public sealed interface Answer<T> {
  /** The request took effect, now or when it was sent before; contains the object after it. */
  record Done<T>(T object) implements Answer<T> {}

  /** An answer without the object; contains the reason. */
  sealed interface Failed<T> extends Answer<T> {
    /** The reason. */
    String why();
  }

  /**
   * The request did not take effect, because the state it was decided on has changed. The caller
   * decides again.
   */
  record Refused<T>(String why) implements Failed<T> {}

  /**
   * The request did not take effect, and the server does not allow it: 403, or the request is
   * invalid. The same request is rejected until something else changes.
   *
   * @param invalid whether it is rejected for what it contains, instead of for its sender
   */
  record Denied<T>(String why, boolean invalid) implements Failed<T> {
    /** A request that its sender may not make. */
    public Denied(String why) {
      this(why, false);
    }
  }

  /** The object does not exist. */
  record Missing<T>() implements Answer<T> {}

  /** The request did not take effect for a temporary reason; it may be retried. */
  record Unavailable<T>(String why) implements Failed<T> {}

  /** It is not known whether the request took effect. Only a live read of the object decides. */
  record Unknown<T>(String why) implements Failed<T> {}

  /** This answer, with the object that {@code make} returns. */
  default <R> Answer<R> map(Function<T, R> make) {
    return switch (this) {
      case Done<T>(T object) -> new Done<>(make.apply(object));
      case Refused<T>(String why) -> new Refused<>(why);
      case Denied<T>(String why, boolean invalid) -> new Denied<>(why, invalid);
      case Missing<T> _ -> new Missing<>();
      case Unavailable<T>(String why) -> new Unavailable<>(why);
      case Unknown<T>(String why) -> new Unknown<>(why);
    };
  }
}
