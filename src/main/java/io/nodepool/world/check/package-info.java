/**
 * Checks of a run in the virtual world: invariants, requests, promises, and the situations that a
 * run came through.
 */
@NullMarked
package io.nodepool.world.check;

import org.jspecify.annotations.NullMarked;
