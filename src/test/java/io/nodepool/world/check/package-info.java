/**
 * Checks of a run in the virtual world: invariants, the promises to Pods, and the situations that
 * occurred.
 */
@NullMarked
package io.nodepool.world.check;

import org.jspecify.annotations.NullMarked;
