package io.nodepool.cli.view;

import java.time.Instant;

/**
 * An Event.
 *
 * @param at when it was last seen
 * @param kind of the object that it is about
 * @param name of the object that it is about
 */
public record EventView(
    Instant at, boolean warning, String reason, String kind, String name, String message) {}
