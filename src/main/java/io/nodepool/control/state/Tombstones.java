package io.nodepool.control.state;

import java.util.HashSet;
import java.util.Set;

/**
 * UIDs that an answer said are gone, until the watch says so too: a late sighting must not bring
 * them back. Lives on the decision thread.
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
