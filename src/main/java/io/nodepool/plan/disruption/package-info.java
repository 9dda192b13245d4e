/**
 * Why Nodes are disrupted: the demands of each cause, their merge, and which of them may begin.
 * Pure.
 */
@NullMarked
package io.nodepool.plan.disruption;

import org.jspecify.annotations.NullMarked;
