/** The labels, addresses and status of simulated Nodes and Pods. */
@NullMarked
package io.nodepool.simulated.cluster.node;

import org.jspecify.annotations.NullMarked;
