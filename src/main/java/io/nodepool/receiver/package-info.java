/**
 * The receiver of what monitors send: notifications of Alertmanager become signals of HostSignals.
 * Every replica of the operator runs one, whether or not it leads.
 */
@NullMarked
package io.nodepool.receiver;

import org.jspecify.annotations.NullMarked;
