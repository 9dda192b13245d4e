package io.nodepool.plugin.node;

import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.input.ObjectsCommand;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** A command that does something with Nodes. */
abstract class NamedNodesCommand extends ObjectsCommand {
  @Parameters(
      arity = "1..*",
      paramLabel = "NODE",
      converter = NameOf.OneNode.class,
      description = "Names of Nodes.")
  private List<String> names = new ArrayList<>();

  NamedNodesCommand() {
    super("node");
  }

  @Override
  protected final List<String> names() {
    return names;
  }
}
