/**
 * Why Nodes are disrupted: the demands of each cause, their merge, and which of them may be
 * admitted. Pure.
 */
@NullMarked
package io.nodepool.plan.disruption;

import org.jspecify.annotations.NullMarked;
