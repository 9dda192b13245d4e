package io.nodepool.model.node;

import java.time.Instant;

/**
 * The result of a live read of a machine whose Node is not known.
 *
 * @param nodeFound whether a Node of its name exists
 * @param pods number of live Pods bound to that name that belong to no DaemonSet
 */
public record LiveRead(boolean nodeFound, int pods, Instant at) {}
