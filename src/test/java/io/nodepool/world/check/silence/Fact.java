package io.nodepool.world.check.silence;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.text.Untruth;
import java.time.Instant;

/**
 * What happened to a Node.
 *
 * @param about where it must be said
 * @param uid the object on which it must be said
 * @param how what is particular about it; empty if nothing is
 * @param from since when it may have been announced
 */
record Fact(
    EventReason reason,
    Untruth.About about,
    String uid,
    String node,
    String cause,
    String how,
    Instant from,
    Instant at) {
  /** A Node is cordoned again, which has an Event of its own. */
  static final String AGAIN = " again";

  /** The objects that it is said on, with the reason. */
  String subject() {
    return subject(uid, reason, how.equals(AGAIN));
  }

  static String subject(String uid, EventReason reason, boolean again) {
    return uid + reason + (again ? AGAIN : "");
  }

  /** Identifies it among those of its pool. */
  String key() {
    return "%s %s".formatted(node, from);
  }
}
