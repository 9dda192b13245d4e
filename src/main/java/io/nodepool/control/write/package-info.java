/** Writes in flight: at most one for each object, with one policy for repeating them. */
@NullMarked
package io.nodepool.control.write;

import org.jspecify.annotations.NullMarked;
