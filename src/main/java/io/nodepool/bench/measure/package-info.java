/** Probes of a measurement: counted writes, metrics, processor time, and what watches saw. */
@NullMarked
package io.nodepool.bench.measure;

import org.jspecify.annotations.NullMarked;
