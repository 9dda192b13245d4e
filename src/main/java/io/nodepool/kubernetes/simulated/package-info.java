/**
 * Hosts the simulated data centre on a cluster: what its pure core decides becomes Hosts, Nodes and
 * Pods' states on an API server.
 */
@NullMarked
package io.nodepool.kubernetes.simulated;

import org.jspecify.annotations.NullMarked;
