package io.nodepool.control.state;

import java.util.HashSet;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Decides which observations are news: the newer version wins, and an object that an answer
 * reported as gone stays gone until the watch reports it too, so that a delayed watch event cannot
 * restore it. Confined to the decision thread.
 */
final class Freshness {
  /** UIDs of the objects that no longer exist according to an answer. */
  private final Set<String> tombstones = new HashSet<>();

  /**
   * Whether an observation is news.
   *
   * @param uid the UID of the observed object
   * @param last the state that was last observed under its name; null for none
   * @param versionOf the version of that state
   */
  <T> boolean isNews(String uid, long version, @Nullable T last, ToLongFunction<T> versionOf) {
    return !tombstones.contains(uid) && (last == null || version > versionOf.applyAsLong(last));
  }

  /** Records that an object no longer exists. */
  void gone(String uid, ClusterState.Source source) {
    switch (source) {
      case ANSWER -> tombstones.add(uid);
      case WATCH -> tombstones.remove(uid);
    }
  }

  /** The number of tombstones. */
  int size() {
    return tombstones.size();
  }
}
