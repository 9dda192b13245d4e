package io.nodepool.model;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A Pod bound to a Node: the facts that decide whether it is tenant work.
 *
 * @param ownerKind kind of the workload that it belongs to, such as Deployment or DaemonSet, or
 *     empty text
 * @param mirror whether it stands for a static Pod
 * @param critical whether the system needs it: its priority class is one of Kubernetes' own
 * @param grace how long it may take to end once it is told to
 * @param interruption how it may be interrupted, as its labels say
 * @param ending its deletion, once that was asked for
 * @param started whether its status says that it runs
 */
public record Pod(
    String namespace,
    String name,
    String uid,
    long version,
    String nodeName,
    String ownerKind,
    String ownerName,
    boolean mirror,
    boolean critical,
    Duration grace,
    Interruption interruption,
    boolean started,
    boolean finished,
    Optional<Ending> ending) {

  /**
   * A deletion that was asked for.
   *
   * @param at when the grace ends
   * @param grace how long it is
   */
  public record Ending(Instant at, Duration grace) {}

  /** How a Pod may be interrupted when its Node is needed (contract §11). */
  public enum Interruption {
    /** It may not be. */
    NONE,
    /**
     * It is evicted as any other, but does no work of its own that would keep its Node: a Slurm
     * daemon that waits for jobs (decision D92).
     */
    STANDBY,
    /** It may be deleted with its own grace (decision D20). */
    GRACEFUL,
    /** It may be evicted at once, with next to no grace (decision D93). */
    AT_ONCE
  }

  /** When its grace ends, once its deletion was asked for. */
  public Optional<Instant> deletedAt() {
    return ending.map(Ending::at);
  }

  /** The same Pod with another end of its grace. */
  public Pod endingAt(Instant at) {
    return new Pod(
        namespace,
        name,
        uid,
        version,
        nodeName,
        ownerKind,
        ownerName,
        mirror,
        critical,
        grace,
        interruption,
        started,
        finished,
        ending.map(before -> new Ending(at, before.grace())));
  }
}
