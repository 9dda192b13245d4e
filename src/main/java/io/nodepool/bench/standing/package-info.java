/**
 * Measures an operator on an existing load of many Nodes and Pods: its cold start and its reactions
 * to changes.
 */
@NullMarked
package io.nodepool.bench.standing;

import org.jspecify.annotations.NullMarked;
