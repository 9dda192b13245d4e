/** How simulated Nodes and Pods look on an API server: labels, addresses and status. */
@NullMarked
package io.nodepool.kubernetes.simulated.node;

import org.jspecify.annotations.NullMarked;
