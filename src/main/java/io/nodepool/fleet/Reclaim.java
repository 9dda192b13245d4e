package io.nodepool.fleet;

import java.time.Instant;

/**
 * A fleet's notice that it wants a machine back from a spot pool (seed 004, decisions D67 and D70).
 *
 * @param announcedAt when the fleet announced it; the preemption's timeline counts from here
 * @param reclaimAt when the fleet takes the machine, whether or not its Node has left
 * @param reason why, for messages; empty text if the fleet gives no reason
 */
public record Reclaim(Instant announcedAt, Instant reclaimAt, String reason) {}
