package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.CommandGroup;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool rollout}. */
@Command(
    name = "rollout",
    description = "Start, stop and show rollouts of the active configuration.")
public final class RolloutCommand extends CommandGroup {
  @Override
  protected SequencedMap<String, Class<?>> commands() {
    SequencedMap<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("start", StartRollout.class);
    commands.put("stop", StopRollout.class);
    commands.put("status", DescribeRollout.class);
    return commands;
  }
}
