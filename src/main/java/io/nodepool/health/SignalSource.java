package io.nodepool.health;

import java.time.Instant;

/**
 * The heartbeat of a source of signals.
 *
 * @param name the source, as in the keys of its signals
 * @param version grows with every change of the object; orders observations of one UID
 * @param heartbeatAt when it last wrote the heartbeat, by its own clock
 */
public record SignalSource(String name, String uid, long version, Instant heartbeatAt) {}
