/** What the operator serves over HTTP: metrics and probes. */
@NullMarked
package io.nodepool.http;

import org.jspecify.annotations.NullMarked;
