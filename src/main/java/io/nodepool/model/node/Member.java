package io.nodepool.model.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A Host that a pool holds, with its Node.
 *
 * @param node the Node of the Host's present tenancy
 * @param workload what runs on that Node
 * @param underWay the operation on the Host that is not answered yet
 * @param waiting what is awaited of it; empty once it is registered or on its way out
 * @param findings what this operator found out about it
 */
public record Member(
    Host host,
    Optional<Node> node,
    Workload workload,
    Optional<HostOperation> underWay,
    Optional<Waiting> waiting,
    Findings findings) {
  /**
   * What this operator found out about a machine; lost when it dies.
   *
   * @param trouble why the last writes that were to remove it failed; empty while they do not
   * @param frozen why nothing is done about it: what is stored of it cannot be read
   * @param refusal what the API server answers to what the pool asks for on its Node, where it does
   *     not allow it
   * @param look what a live look at a machine without a known Node found
   */
  public record Findings(
      Optional<String> trouble,
      Optional<String> frozen,
      Optional<String> refusal,
      Optional<LiveLook> look) {
    /** Nothing was found out. */
    public static final Findings NONE =
        new Findings(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * What a machine has to do next by itself, and since when that has been awaited.
   *
   * @param since by this operator's clock; time during which it was not watching does not count
   */
  public record Waiting(Stage stage, Instant since) {
    /** For how long this operator has been waiting for it. */
    public Duration watched(Instant now) {
      return Duration.between(since, now);
    }
  }

  /** What is awaited of a machine. */
  public enum Stage {
    /** It is assigned and has to come up. */
    DELIVERY,
    /** It is up and has to join as a Node that is Ready. */
    REGISTRATION,
    /** Its Node had joined, and its fleet says that it does not run any more. */
    OUTAGE
  }

  /** Whether the pool will hold it no longer once what is under way is done. */
  public boolean isBeingGivenBack() {
    return underWay
        .map(operation ->
            switch (operation) {
              case HostOperation.Cancel _, HostOperation.Release _ -> true;
              case HostOperation.Assign _, HostOperation.Stop _, HostOperation.Delivered _ -> false;
            })
        .orElse(false);
  }

  /**
   * Whether it is on its way out of the pool for good: drained, stopped, being given back, or
   * chosen for its own sake. It counts until it is gone, but not among those that stay.
   */
  public boolean isTerminating() {
    return isBeingGivenBack()
        || host.power() == Host.Power.OFF
        || node.filter(Node::isDraining).isPresent()
        || isMarkedForItself()
        || underWay.filter(HostOperation.Stop.class::isInstance).isPresent();
  }

  /** The mark on its Node, which may still be taken back. */
  public Optional<Removal.Marked> mark() {
    return node.flatMap(Node::removal)
        .flatMap(removal ->
            removal instanceof Removal.Marked marked ? Optional.of(marked) : Optional.empty());
  }

  /** Until when its Node is not chosen again; empty if it may be now. */
  public Optional<Instant> passedOverUntil(Instant now) {
    return node.flatMap(Node::removal)
        .flatMap(removal ->
            removal instanceof Removal.PassedOver passed
                ? Optional.of(passed.until())
                : Optional.empty())
        .filter(until -> until.isAfter(now));
  }

  /** Why the last writes that were to remove it failed; empty while they do not. */
  public Optional<String> trouble() {
    return findings.trouble();
  }

  /** Whether what is stored of it cannot be read, so that nothing is done about it. */
  public boolean isFrozen() {
    return findings.frozen().isPresent();
  }

  /**
   * Whether it was chosen to go for another cause than the size of its pool, which therefore does
   * not take it back.
   */
  public boolean isMarkedForItself() {
    return mark().filter(marked -> !marked.cause().isScaleDown()).isPresent();
  }

  /** Whether its Node is marked, draining, or still there although its machine is to be off. */
  public boolean isBeingRemoved() {
    return mark().isPresent()
        || node.filter(Node::isDraining).isPresent()
        || (isCurrent() && host.power() == Host.Power.OFF);
  }

  /** Whether the drain of its Node is at this. */
  public boolean isRemovedAt(NodeRemovalReason reason) {
    return node.filter(Node::isDraining)
        .flatMap(Node::removing)
        .filter(removing -> removing.reason() == reason)
        .isPresent();
  }

  /** Whether it is waited for at this stage. */
  public boolean isWaitedForAt(Stage stage) {
    return waiting.isPresent() && waiting.get().stage() == stage;
  }

  /** Whether it counts in currentNodes: registered, until its Node object is gone (decision D2). */
  public boolean isCurrent() {
    return node.isPresent() && node.get().registered();
  }

  /**
   * Whether it counts in inProgress: assigned, not registered, and not on its way out (decision
   * D2).
   */
  public boolean isInProgress() {
    return !isCurrent() && !host.is(HostPhase.STOPPED);
  }
}
