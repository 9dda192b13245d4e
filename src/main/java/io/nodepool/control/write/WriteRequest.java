package io.nodepool.control.write;

import java.util.Map;
import java.util.Optional;

/**
 * A write on one object, as a {@link WriteTracker} sees it. Its text is what the log says of it.
 *
 * @param <S> what tells one object from another
 */
public interface WriteRequest<S> {
  /** The object. */
  S subject();

  /** What requests on one object have in common that fail for one cause, whatever they set. */
  Object kind();

  /**
   * The values that the request sets, part by part and without the time at which it does; empty if
   * it may be repeated at any time.
   */
  Map<String, Object> effects();

  /**
   * The kind of write on the same object that this one prepares. It is of no use while that may not
   * be tried again.
   */
  default Optional<Object> prepares() {
    return Optional.empty();
  }

  /** The part that may be set at once after this request, however often it was set before. */
  default Optional<String> excuses() {
    return Optional.empty();
  }
}
