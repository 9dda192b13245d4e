/** The operator in the virtual world: its processes, what they observed, and their requests. */
@NullMarked
package io.nodepool.world.operator;

import org.jspecify.annotations.NullMarked;
