package io.nodepool.plan;

import java.time.Instant;
import java.util.Optional;

/**
 * What a machine's planner found.
 *
 * @param step the machine's next step; empty when it has nothing to do
 * @param wakeup when to look again even if nothing happens
 */
public record MachinePlan(Optional<Step> step, Optional<Instant> wakeup) {}
