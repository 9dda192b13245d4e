package io.nodepool.model.node;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A Pod bound to a Node, with the facts that decide whether it is tenant work.
 *
 * @param version grows with every change of the object
 * @param nodeName the Node that it is bound to
 */
@RecordBuilder
public record Pod(
    Id id, long version, String nodeName, Owner owner, Eviction eviction, Execution execution)
    implements PodCopy.With {

  /** The identity of a Pod. */
  public record Id(String namespace, String name, String uid) {}

  /**
   * The workload that a Pod belongs to.
   *
   * @param kind such as Deployment or DaemonSet; empty text if the Pod has no owner
   * @param mirror whether the Pod is the mirror of a static Pod
   */
  @RecordBuilder
  public record Owner(String kind, String name, boolean mirror) implements PodOwnerCopy.With {
    /** No owner. */
    public static final Owner NONE = new Owner("", "", false);
  }

  /**
   * The properties of a Pod that its eviction depends on.
   *
   * @param critical whether it is system-critical: its priority class is one of Kubernetes' own
   * @param grace its termination grace period
   * @param interruption how it may be interrupted, by its labels
   */
  @RecordBuilder
  public record Eviction(boolean critical, Duration grace, Interruption interruption)
      implements PodEvictionCopy.With {}

  /**
   * The progress of a Pod between its binding and its end.
   *
   * @param boundAt when it was bound to its Node, by the API server's clock
   * @param started whether its status reports that it runs
   * @param finished whether its status reports that it succeeded or failed
   * @param ending its deletion, once requested
   */
  @RecordBuilder
  public record Execution(
      Instant boundAt, boolean started, boolean finished, Optional<Ending> ending)
      implements PodExecutionCopy.With {
    /** Bound at this instant, and not observed to run yet. */
    public static Execution bound(Instant at) {
      return new Execution(at, false, false, Optional.empty());
    }
  }

  /**
   * A requested deletion.
   *
   * @param at when the grace period ends
   * @param grace the grace period
   */
  public record Ending(Instant at, Duration grace) {}

  /** How a Pod may be interrupted when its Node is needed (contract §11). */
  public enum Interruption {
    /** It may not be interrupted. */
    NONE,
    /**
     * It is evicted as any other Pod, but does not keep its Node: a Slurm daemon that waits for
     * jobs (decision D92).
     */
    STANDBY,
    /** It may be deleted with its own grace period (decision D20). */
    GRACEFUL,
    /** It may be evicted at once, with a grace period of one second (decision D93). */
    AT_ONCE
  }

  /** Namespace of the Pod. */
  public String namespace() {
    return id.namespace();
  }

  /** Name of the Pod in its Namespace. */
  public String name() {
    return id.name();
  }

  /** UID of the Pod. */
  public String uid() {
    return id.uid();
  }

  /** How it may be interrupted. */
  public Interruption interruption() {
    return eviction.interruption();
  }

  /** When its grace period ends, once its deletion was requested. */
  public Optional<Instant> deletedAt() {
    return execution.ending().map(Ending::at);
  }
}
