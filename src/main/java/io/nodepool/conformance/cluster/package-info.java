/** The conformance suite on a cluster. */
@NullMarked
package io.nodepool.conformance.cluster;

import org.jspecify.annotations.NullMarked;
