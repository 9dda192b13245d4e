package io.nodepool.model;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import java.util.Optional;

/**
 * A Host that a pool holds, with its Node.
 *
 * @param node the Node of the Host's present tenancy
 * @param underWay the operation on the Host that is not answered yet
 */
public record Member(Host host, Optional<Node> node, Optional<HostOperation> underWay) {
  /** Whether the pool will hold it no longer once what is under way is done. */
  public boolean isBeingGivenBack() {
    return underWay
        .map(operation ->
            switch (operation) {
              case HostOperation.Cancel _, HostOperation.Release _ -> true;
              case HostOperation.Assign _, HostOperation.Stop _ -> false;
            })
        .orElse(false);
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
