package io.nodepool.kubernetes.thread;

import io.nodepool.fleet.Answer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers for requests that end in no ordinary way. */
public final class UnexpectedErrors {
  private static final Logger log = LoggerFactory.getLogger(UnexpectedErrors.class);

  private UnexpectedErrors() {}

  /** Whatever goes wrong, there is an answer; after a surprise nobody knows what took effect. */
  public static <T> Answer<T> answered(Supplier<Answer<T>> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      log.error("a request met what it did not expect", e);
      return new Answer.Unknown<>(e.toString());
    }
  }

  /** The answer to what was not begun before the operator stopped. */
  public static <T> Answer<T> stopping() {
    return new Answer.Unavailable<>("the operator is stopping");
  }
}
