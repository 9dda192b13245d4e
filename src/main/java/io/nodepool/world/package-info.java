/** The virtual world: an in-memory cluster and fleet under virtual time, one thread, one seed. */
@NullMarked
package io.nodepool.world;

import org.jspecify.annotations.NullMarked;
