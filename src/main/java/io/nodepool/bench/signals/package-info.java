/** The receiver of alerts under load: senders that behave as Alertmanager, and what is stored. */
@NullMarked
package io.nodepool.bench.signals;

import org.jspecify.annotations.NullMarked;
