/** Checks of what the operator costs: the members that its plans visit, and its requests. */
@NullMarked
package io.nodepool.world.check.cost;

import org.jspecify.annotations.NullMarked;
