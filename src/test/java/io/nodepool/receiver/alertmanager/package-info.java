/** The receiver of alerts with a real Alertmanager. */
@NullMarked
package io.nodepool.receiver.alertmanager;

import org.jspecify.annotations.NullMarked;
