/** The receiver of alerts under load, with senders that behave as Alertmanager. */
@NullMarked
package io.nodepool.bench.signals;

import org.jspecify.annotations.NullMarked;
