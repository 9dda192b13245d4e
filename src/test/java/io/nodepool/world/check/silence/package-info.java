/** Checks that what happened to Nodes is said, on them and on their pools. */
@NullMarked
package io.nodepool.world.check.silence;

import org.jspecify.annotations.NullMarked;
