package io.nodepool.plugin.explain;

import io.nodepool.plugin.input.CommandGroup;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool explain}. */
@Command(
    name = "explain",
    description = "Say why: what becomes of a NodePool, a Node or a Host, and what holds it.")
public final class ExplainCommand extends CommandGroup {
  @Override
  protected SequencedMap<String, Class<?>> commands() {
    SequencedMap<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("pool", ExplainPool.class);
    commands.put("node", ExplainNode.class);
    commands.put("host", ExplainHost.class);
    return commands;
  }
}
