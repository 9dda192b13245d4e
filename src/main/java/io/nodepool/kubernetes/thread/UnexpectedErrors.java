package io.nodepool.kubernetes.thread;

import io.nodepool.fleet.Answer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answers of requests that end in an unexpected way. */
public final class UnexpectedErrors {
  private static final Logger log = LoggerFactory.getLogger(UnexpectedErrors.class);

  private UnexpectedErrors() {}

  /**
   * The answer of a request; {@link Answer.Unknown} if it throws, since the request may have taken
   * effect.
   */
  public static <T> Answer<T> answered(Supplier<Answer<T>> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      log.error("a request failed with an unexpected error", e);
      return new Answer.Unknown<>(e.toString());
    }
  }

  /** The answer to a request that was not started before the operator stopped. */
  public static <T> Answer<T> stopping() {
    return new Answer.Unavailable<>("the operator is stopping");
  }
}
