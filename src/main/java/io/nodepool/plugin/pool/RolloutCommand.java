package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.CommandGroup;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool rollout}. */
@Command(
    name = "rollout",
    description = "Starts and stops rollouts of the active configuration, and shows them.",
    subcommands = {StartRollout.class, StopRollout.class, DescribeRollout.class})
public final class RolloutCommand extends CommandGroup {}
