/**
 * What {@code nodepool bench} measures: whole processes on a local cluster, beside what a plain
 * client needs for the same writes.
 */
@NullMarked
package io.nodepool.bench;

import org.jspecify.annotations.NullMarked;
