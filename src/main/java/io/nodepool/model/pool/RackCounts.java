package io.nodepool.model.pool;

/**
 * The counts of a pool of a rack type (contract §3).
 *
 * @param target racks that it wants
 * @param current racks all of whose Nodes are registered
 * @param queued racks of which a Node is queued
 */
public record RackCounts(int target, int current, int queued) {}
