package io.nodepool.kubernetes.write;

import io.nodepool.kubernetes.client.Reply;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;

/**
 * How often each Event was refused, so that what it announces is held up for a few tries at most.
 * Used by several threads.
 */
final class EventAttempts {
  /** An Event that was refused so often is given up. */
  static final int MOST = 3;

  /** An Event is forgotten after this many others, for nobody may ever try it again. */
  private static final int REMEMBERED = 1000;

  private final SequencedMap<String, Integer> refused =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > REMEMBERED;
        }
      };

  /**
   * Notes that the Event of this name was not taken.
   *
   * @return whether it is given up
   */
  synchronized boolean isGivenUp(String name, Reply reply) {
    boolean given =
        switch (reply) {
          // What it announces could not be sent either.
          case Reply.NotSent _ -> false;
          case Reply.Rejected rejected -> isForbidden(rejected) || count(name) >= MOST;
          case Reply.Ok _, Reply.Lost _ -> count(name) >= MOST;
        };
    if (given) {
      refused.remove(name);
    }
    return given;
  }

  /** A quota, a Namespace that terminates, missing rights: the next try would end as this one. */
  private static boolean isForbidden(Reply.Rejected rejected) {
    return switch (rejected.code()) {
      case Reply.NOT_FOUND, Reply.CONFLICT, Reply.TOO_MANY -> false;
      default -> rejected.code() < Reply.INTERNAL_ERROR;
    };
  }

  private int count(String name) {
    return refused.merge(name, 1, Integer::sum);
  }

  /** Notes that the Event of this name stands. */
  synchronized void succeeded(String name) {
    refused.remove(name);
  }

  /** Events that are remembered. */
  synchronized int size() {
    return refused.size();
  }
}
