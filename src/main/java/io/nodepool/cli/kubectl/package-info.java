/** {@code kubectl nodepool}: what users do with the Nodes of their pools. */
@NullMarked
package io.nodepool.cli.kubectl;

import org.jspecify.annotations.NullMarked;
