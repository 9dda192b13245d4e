/**
 * Plans a pool: validation, quota, capacity, the Hosts that it takes or gives back, and the Nodes
 * that it removes.
 */
@NullMarked
package io.nodepool.plan.pool;

import org.jspecify.annotations.NullMarked;
