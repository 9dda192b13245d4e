package io.nodepool.model.node;

import java.time.Instant;

/**
 * What a live look at a machine found of which no Node is known.
 *
 * @param nodeFound whether there is a Node of its name after all
 * @param pods live Pods bound to that name that belong to no DaemonSet
 */
public record LiveLook(boolean nodeFound, int pods, Instant at) {}
