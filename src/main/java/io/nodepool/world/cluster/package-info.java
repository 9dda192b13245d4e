/** The API server of the virtual world: its objects, and the actions of clients on them. */
@NullMarked
package io.nodepool.world.cluster;

import org.jspecify.annotations.NullMarked;
