/** The HTTP endpoint of the operator: metrics and probes. */
@NullMarked
package io.nodepool.http;

import org.jspecify.annotations.NullMarked;
