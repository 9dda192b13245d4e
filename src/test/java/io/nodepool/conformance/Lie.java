package io.nodepool.conformance;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.simulated.Next;
import java.util.Optional;

/** What a fleet does instead of what would be right. */
interface Lie {
  /** None. */
  Lie NONE = (cluster, host, node, truth) -> truth;

  /**
   * What it does next.
   *
   * @param truth what an honest fleet does
   */
  Next tell(VirtualCluster cluster, Host host, Optional<Node> node, Next truth);
}
