/**
 * What is known, folded from observations: pools, machines, Namespaces, free Hosts and counts of
 * all that happened.
 */
@NullMarked
package io.nodepool.control.state;

import org.jspecify.annotations.NullMarked;
