/** The rollout of a pool's active configuration over its Nodes. Pure. */
@NullMarked
package io.nodepool.plan.rollout;

import org.jspecify.annotations.NullMarked;
