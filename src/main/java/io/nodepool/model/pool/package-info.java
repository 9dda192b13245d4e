/**
 * Immutable snapshots of pools: spec, status, growth, quota claims and occurrences on their Nodes.
 */
@NullMarked
package io.nodepool.model.pool;

import org.jspecify.annotations.NullMarked;
