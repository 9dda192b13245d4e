package io.nodepool.control.state;

import java.util.HashSet;
import java.util.Set;

/**
 * UIDs of objects that no longer exist according to an answer, until the watch reports it too: a
 * delayed watch event must not restore them. Confined to the decision thread.
 */
final class Tombstones {
  private final Set<String> uids = new HashSet<>();

  boolean isGone(String uid) {
    return uids.contains(uid);
  }

  void put(String uid, ClusterState.Source source) {
    switch (source) {
      case ANSWER -> uids.add(uid);
      case WATCH -> uids.remove(uid);
    }
  }

  int size() {
    return uids.size();
  }
}
