/** {@code nodepool dev}: a cluster, a simulated data centre and the operator, with a live view. */
@NullMarked
package io.nodepool.cli.dev;

import org.jspecify.annotations.NullMarked;
