/** The HTTP endpoints of the operator: metrics and probes, and the receiver of alerts. */
@NullMarked
package io.nodepool.http;

import org.jspecify.annotations.NullMarked;
