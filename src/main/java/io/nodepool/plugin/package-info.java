/** {@code kubectl nodepool}: what users do with the Nodes of their pools. */
@NullMarked
package io.nodepool.plugin;

import org.jspecify.annotations.NullMarked;
