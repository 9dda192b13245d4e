/**
 * The causes of disruption, one file each: what each demands of a Node, its rule, its row of the
 * record and its words. Pure.
 */
@NullMarked
package io.nodepool.plan.disruption.cause;

import org.jspecify.annotations.NullMarked;
