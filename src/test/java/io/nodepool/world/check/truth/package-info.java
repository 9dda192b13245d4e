/** Checks each Event and each condition that is written against the world at that moment. */
@NullMarked
package io.nodepool.world.check.truth;

import org.jspecify.annotations.NullMarked;
