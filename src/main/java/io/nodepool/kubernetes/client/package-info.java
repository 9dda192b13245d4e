/**
 * Single requests to an API server, each sent once, counted and with a time-out; shared with the
 * simulated fleet.
 */
@NullMarked
package io.nodepool.kubernetes.client;

import org.jspecify.annotations.NullMarked;
