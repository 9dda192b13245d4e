package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.CommandGroup;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool rollout}. */
@Command(
    name = "rollout",
    description = "Starts and stops rollouts of the active configuration, and shows them.",
    mixinStandardHelpOptions = true,
    subcommands = {StartRollout.class, StopRollout.class, DescribeRollout.class},
    synopsisSubcommandLabel = "COMMAND")
public final class RolloutCommand extends CommandGroup {}
