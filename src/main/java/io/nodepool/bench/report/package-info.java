/** The results of measurements, as text and JSON. Pure. */
@NullMarked
package io.nodepool.bench.report;

import org.jspecify.annotations.NullMarked;
