/** The commands {@code kubectl nodepool explain}. */
@NullMarked
package io.nodepool.plugin.explain;

import org.jspecify.annotations.NullMarked;
