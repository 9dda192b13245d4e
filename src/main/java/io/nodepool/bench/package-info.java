/**
 * The measurements of {@code nodepool bench}: whole processes on a local cluster, compared with a
 * plain client that sends the same writes.
 */
@NullMarked
package io.nodepool.bench;

import org.jspecify.annotations.NullMarked;
