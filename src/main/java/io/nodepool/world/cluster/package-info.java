/** The API server of the virtual world: its objects, and what clients do to them. */
@NullMarked
package io.nodepool.world.cluster;

import org.jspecify.annotations.NullMarked;
