/**
 * Immutable snapshots of pools, Nodes and Pods: the few facts that decisions use, never whole API
 * objects.
 */
@NullMarked
package io.nodepool.model;

import org.jspecify.annotations.NullMarked;
