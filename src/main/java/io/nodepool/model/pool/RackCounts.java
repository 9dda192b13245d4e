package io.nodepool.model.pool;

/**
 * What a pool that is given out in racks counts (contract §3).
 *
 * @param target racks it wants
 * @param current racks all of whose Nodes are registered
 * @param queued racks of which a Node is queued
 */
public record RackCounts(int target, int current, int queued) {}
