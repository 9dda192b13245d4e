package io.nodepool.kubernetes.write;

import io.nodepool.kubernetes.client.Reply;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/**
 * Counts how often each Event was refused, so that an Event delays the write that it announces for
 * a few attempts at most. Safe for any thread.
 */
final class EventAttempts {
  /** The number of refusals after which an Event is given up. */
  static final int MOST = 3;

  /** The number of remembered Events; an old one may never be retried. */
  private static final int REMEMBERED = 1000;

  private final SequencedMap<String, Integer> refused = new LinkedHashMap<>();

  /**
   * Records that the Event of this name was not accepted.
   *
   * @return whether the Event is given up
   */
  synchronized boolean isGivenUp(String name, Reply reply) {
    boolean given =
        switch (reply) {
          // The announced write could not be sent either.
          case Reply.NotSent _ -> false;
          case Reply.Rejected rejected -> isForbidden(rejected) || count(name) >= MOST;
          case Reply.Ok _, Reply.Lost _ -> count(name) >= MOST;
        };
    if (given) {
      refused.remove(name);
    }
    return given;
  }

  /** Whether a retry would fail too: a quota, a terminating Namespace, missing permissions. */
  private static boolean isForbidden(Reply.Rejected rejected) {
    return switch (rejected.code()) {
      case Reply.NOT_FOUND, Reply.CONFLICT, Reply.TOO_MANY -> false;
      default -> rejected.code() < Reply.INTERNAL_ERROR;
    };
  }

  private int count(String name) {
    int count = refused.merge(name, 1, Integer::sum);
    if (refused.size() > REMEMBERED) {
      refused.pollFirstEntry();
    }
    return count;
  }

  /** Records that the Event of this name exists. */
  synchronized void succeeded(String name) {
    refused.remove(name);
  }

  /** The number of Events that are remembered. */
  synchronized int size() {
    return refused.size();
  }
}
