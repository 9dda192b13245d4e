/** The labels, addresses and status of simulated Nodes and Pods. */
@NullMarked
package io.nodepool.kubernetes.simulated.node;

import org.jspecify.annotations.NullMarked;
