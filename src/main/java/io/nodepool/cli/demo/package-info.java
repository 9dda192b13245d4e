/**
 * {@code nodepool demo}: what the documentation's drills do, step by step on a cluster of its own.
 */
@NullMarked
package io.nodepool.cli.demo;

import org.jspecify.annotations.NullMarked;
