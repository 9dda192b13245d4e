/** Writes in flight: at most one for each object, with one retry policy. */
@NullMarked
package io.nodepool.control.write;

import org.jspecify.annotations.NullMarked;
