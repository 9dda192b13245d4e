/** The HTTP endpoints of the operator: metrics and probes, and what monitors send. */
@NullMarked
package io.nodepool.http;

import org.jspecify.annotations.NullMarked;
