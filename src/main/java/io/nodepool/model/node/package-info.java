/**
 * Immutable snapshots of machines: Nodes, their Pods, their removal, and their membership of a
 * pool.
 */
@NullMarked
package io.nodepool.model.node;

import org.jspecify.annotations.NullMarked;
