/**
 * Single requests to an API server, each sent once, counted and with a time-out; the JSON of its
 * objects; and the features for watches that the client library lacks. Shared with the simulated
 * fleet.
 */
@NullMarked
package io.nodepool.kubernetes.client;

import org.jspecify.annotations.NullMarked;
