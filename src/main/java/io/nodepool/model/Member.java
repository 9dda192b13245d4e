package io.nodepool.model;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import java.time.Duration;
import java.util.Optional;

/**
 * A Host that a pool holds, with its Node.
 *
 * @param node the Node of the Host's present tenancy
 * @param workload what runs on that Node
 * @param underWay the operation on the Host that is not answered yet
 * @param waiting what is awaited of it; empty once it is registered or on its way out
 * @param trouble why the last writes that were to remove it failed; empty while they do not
 */
public record Member(
    Host host,
    Optional<Node> node,
    Workload workload,
    Optional<HostOperation> underWay,
    Optional<Waiting> waiting,
    Optional<String> trouble) {
  /**
   * What a machine has to do next by itself, and for how long that has been awaited.
   *
   * @param watched time during which this operator was watching; a clock that jumps does not matter
   */
  public record Waiting(Stage stage, Duration watched) {}

  /** What is awaited of a machine. */
  public enum Stage {
    /** It is assigned and has to come up. */
    DELIVERY,
    /** It is up and has to join as a Node that is Ready. */
    REGISTRATION
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
   * Whether it is on its way out of the pool for good: drained, stopped, or being given back. It
   * counts until it is gone, but not among those that stay.
   */
  public boolean isLeaving() {
    return isBeingGivenBack()
        || host.power() == Host.Power.OFF
        || node.filter(Node::isDraining).isPresent()
        || underWay.filter(HostOperation.Stop.class::isInstance).isPresent();
  }

  /** The mark on its Node, which may still be taken back. */
  public Optional<Removal.Marked> mark() {
    return node.flatMap(Node::removal)
        .flatMap(removal ->
            removal instanceof Removal.Marked marked ? Optional.of(marked) : Optional.empty());
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
