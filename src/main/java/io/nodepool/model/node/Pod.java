package io.nodepool.model.node;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A Pod bound to a Node: the facts that decide whether it is tenant work.
 *
 * @param version grows with every change of the object
 * @param nodeName the Node that it is bound to
 */
public record Pod(
    Id id, long version, String nodeName, Owner owner, Eviction eviction, Execution execution) {

  /** What a Pod is called, and which of those that were called so it is. */
  public record Id(String namespace, String name, String uid) {}

  /**
   * The workload that a Pod belongs to.
   *
   * @param kind such as Deployment or DaemonSet, or empty text
   * @param mirror whether the Pod stands for a static Pod of its Node
   */
  public record Owner(String kind, String name, boolean mirror) {
    /** None: the Pod stands for itself. */
    public static final Owner NONE = new Owner("", "", false);

    /** The same, of a static Pod or not. */
    public Owner withMirror(boolean next) {
      return new Owner(kind, name, next);
    }
  }

  /**
   * How a Pod is made to leave its Node.
   *
   * @param critical whether the system needs it: its priority class is one of Kubernetes' own
   * @param grace how long it may take to end once it is told to
   * @param interruption how it may be interrupted, as its labels say
   */
  public record Eviction(boolean critical, Duration grace, Interruption interruption) {
    /** The same for a Pod that the system needs, or not. */
    public Eviction withCritical(boolean next) {
      return new Eviction(next, grace, interruption);
    }

    /** The same with another grace. */
    public Eviction withGrace(Duration next) {
      return new Eviction(critical, next, interruption);
    }

    /** The same with another way to interrupt it. */
    public Eviction withInterruption(Interruption next) {
      return new Eviction(critical, grace, next);
    }
  }

  /**
   * How far a Pod got between its binding and its end.
   *
   * @param started whether its status says that it runs
   * @param finished whether its status says that its work is done, or failed
   * @param ending its deletion, once that was asked for
   */
  public record Execution(boolean started, boolean finished, Optional<Ending> ending) {
    /** Nothing of it was seen to happen yet. */
    public static final Execution BOUND = new Execution(false, false, Optional.empty());

    /** The same, running. */
    public Execution withStarted() {
      return new Execution(true, finished, ending);
    }

    /** The same, its work done. */
    public Execution withFinished() {
      return new Execution(started, true, ending);
    }

    /** The same with another deletion. */
    public Execution withEnding(Ending next) {
      return new Execution(started, finished, Optional.of(next));
    }
  }

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

  /** When its grace ends, once its deletion was asked for. */
  public Optional<Instant> deletedAt() {
    return execution.ending().map(Ending::at);
  }

  /** This Pod under another version. */
  public Pod withVersion(long next) {
    return new Pod(id, next, nodeName, owner, eviction, execution);
  }

  /** This Pod of another workload. */
  public Pod withOwner(Owner next) {
    return new Pod(id, version, nodeName, next, eviction, execution);
  }

  /** This Pod with another way to leave its Node. */
  public Pod withEviction(Eviction next) {
    return new Pod(id, version, nodeName, owner, next, execution);
  }

  /** This Pod, having got elsewhere. */
  public Pod withExecution(Execution next) {
    return new Pod(id, version, nodeName, owner, eviction, next);
  }
}
