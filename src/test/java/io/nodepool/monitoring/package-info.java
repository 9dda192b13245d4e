/** What ships for Prometheus and Grafana, tested with the real programs. */
@NullMarked
package io.nodepool.monitoring;

import org.jspecify.annotations.NullMarked;
