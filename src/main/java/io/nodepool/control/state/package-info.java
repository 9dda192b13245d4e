/**
 * The state of the cluster, folded from observations: pools, machines, Namespaces, free Hosts and
 * counts of what happened.
 */
@NullMarked
package io.nodepool.control.state;

import org.jspecify.annotations.NullMarked;
