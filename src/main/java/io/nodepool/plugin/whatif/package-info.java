/** The commands {@code kubectl nodepool what-if}. */
@NullMarked
package io.nodepool.plugin.whatif;

import org.jspecify.annotations.NullMarked;
