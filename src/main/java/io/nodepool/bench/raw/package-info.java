/** A plain client that repeats the writes of a measurement, as its baseline. */
@NullMarked
package io.nodepool.bench.raw;

import org.jspecify.annotations.NullMarked;
