/**
 * Plans a pool: is it valid, what may it have, which Hosts does it take or give back, and which
 * Nodes does it remove.
 */
@NullMarked
package io.nodepool.plan.pool;

import org.jspecify.annotations.NullMarked;
