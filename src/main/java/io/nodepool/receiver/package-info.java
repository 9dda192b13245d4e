/**
 * The receiver of alerts: it stores the notifications of Alertmanager as signals in HostSignals.
 * Every replica of the operator runs one, whether or not it leads.
 */
@NullMarked
package io.nodepool.receiver;

import org.jspecify.annotations.NullMarked;
