package io.nodepool.health;

import java.time.Instant;

/**
 * That a source of signals is alive.
 *
 * @param name the source, as in the keys of its signals
 * @param version grows with every change of the object; orders observations of one UID
 * @param heartbeatAt when it last said so, by its own clock
 */
public record SignalSource(String name, String uid, long version, Instant heartbeatAt) {}
