/** What a measurement reads: counted writes, metrics, processor time, and observed objects. */
@NullMarked
package io.nodepool.bench.measure;

import org.jspecify.annotations.NullMarked;
