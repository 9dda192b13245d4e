package io.nodepool.cli.view;

import java.time.Instant;

/**
 * An Event, as the view shows it.
 *
 * @param at the time of its last occurrence
 * @param kind the kind of the object that it is about
 * @param name the name of the object that it is about
 */
public record EventView(
    Instant at, boolean warning, String reason, String kind, String name, String message) {}
