/**
 * The cluster and the processes of a measurement, and their counted writes, metrics, processor
 * time, and observed objects.
 */
@NullMarked
package io.nodepool.bench.measure;

import org.jspecify.annotations.NullMarked;
