package io.nodepool.control.state.machine;

import java.lang.ref.WeakReference;
import java.util.WeakHashMap;

/**
 * Keeps one instance of equal values, as long as it is reachable elsewhere. Confined to the
 * decision thread.
 */
public final class Interner<T> {
  private final WeakHashMap<T, WeakReference<T>> known = new WeakHashMap<>();

  /** The canonical instance of all values equal to this one. */
  public T one(T value) {
    WeakReference<T> reference = known.get(value);
    T first = reference == null ? null : reference.get();
    if (first != null) {
      return first;
    }
    known.put(value, new WeakReference<>(value));
    return value;
  }
}
