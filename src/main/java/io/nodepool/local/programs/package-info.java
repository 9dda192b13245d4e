/** Finds, downloads or builds the four programs of a local control plane. */
@NullMarked
package io.nodepool.local.programs;

import org.jspecify.annotations.NullMarked;
