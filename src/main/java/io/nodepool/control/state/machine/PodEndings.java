package io.nodepool.control.state.machine;

import io.nodepool.control.write.Instants;
import io.nodepool.model.node.Pod;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * When the grace periods of one Node's Pods end, by the clock of the observing process. The API
 * server writes the end by its own clock, which may be an hour ahead or behind; so, as for a
 * kubelet, a grace period begins when its start is observed. A grace period that a starting process
 * finds in progress ends at its recorded end, or after its whole length, whichever is sooner.
 * Confined to one thread.
 */
public final class PodEndings {
  private final Map<String, Instant> ends = new HashMap<>();

  /**
   * The Pod as observed, with the end of its grace period by the process's clock.
   *
   * @param watching whether the start of the grace period would have been observed, since
   *     everything was listed before
   */
  public Pod local(Pod seen, boolean watching, Instant now) {
    return seen.execution()
        .ending()
        .map(ending -> new Pod.Ending(endOf(seen.uid(), ending, watching, now), ending.grace()))
        .map(ending -> seen.withExecution(seen.execution().withEnding(Optional.of(ending))))
        .orElse(seen);
  }

  /** A grace period only ever gets shorter. */
  private Instant endOf(String uid, Pod.Ending ending, boolean watching, Instant now) {
    Instant whole = now.plus(ending.grace());
    Instant found =
        watching || ends.containsKey(uid) ? whole : Instants.earlier(ending.at(), whole);
    return Optional.ofNullable(ends.merge(uid, found, Instants::earlier)).orElse(found);
  }

  /** Discards a Pod that no longer exists. */
  public void forget(String uid) {
    ends.remove(uid);
  }
}
