/**
 * Runs the simulated data centre on a cluster: applies the decisions of its pure core to Hosts,
 * Nodes and Pods on an API server.
 */
@NullMarked
package io.nodepool.simulated.cluster;

import org.jspecify.annotations.NullMarked;
