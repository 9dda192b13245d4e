/**
 * An operator under a standing load: many Nodes and Pods that are there already, and how fast it
 * reacts to changes.
 */
@NullMarked
package io.nodepool.bench.standing;

import org.jspecify.annotations.NullMarked;
