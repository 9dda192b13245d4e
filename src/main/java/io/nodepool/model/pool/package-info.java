/**
 * Immutable pictures of pools: spec, status, growth, quota claims and what happened to their Nodes.
 */
@NullMarked
package io.nodepool.model.pool;

import org.jspecify.annotations.NullMarked;
