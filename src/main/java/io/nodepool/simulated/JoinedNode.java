package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;

/**
 * The Node of a machine's name: the part that the machine's kubelet must keep up to date.
 *
 * @param current whether it belongs to the present tenancy of the Host
 * @param bootId the boot id that it shows
 */
public record JoinedNode(String uid, boolean current, boolean ready, String bootId) {
  /** The Node of a Host's name. */
  public static JoinedNode of(Node node, Host host) {
    return new JoinedNode(node.uid(), node.isOf(host), node.ready(), node.status().bootId());
  }
}
