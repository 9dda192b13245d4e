package io.nodepool.plugin.host;

import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.input.ObjectsCommand;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Parameters;

/** A command that does something with Hosts. */
abstract class NamedHostsCommand extends ObjectsCommand {
  /** How often a write is tried while other clients change the Host. */
  static final int ATTEMPTS = 3;

  @Parameters(
      arity = "1..*",
      paramLabel = "HOST",
      converter = NameOf.OneHost.class,
      description = "Names of Hosts.")
  private List<String> names = new ArrayList<>();

  NamedHostsCommand() {
    super("host");
  }

  @Override
  protected final List<String> names() {
    return names;
  }
}
