package io.nodepool.cli;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The environment that a command runs in.
 *
 * @param environment the environment variables
 * @param home the user's home directory
 */
public record CommandEnvironment(Map<String, String> environment, Path home) {
  public CommandEnvironment {
    environment = Map.copyOf(environment);
  }

  /** The environment of this process. */
  static CommandEnvironment ofThisProcess() {
    return new CommandEnvironment(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /** The environment of a command line; that of the process for a command that runs alone. */
  public static CommandEnvironment of(CommandSpec spec) {
    return spec.root().userObject() instanceof Main all ? all.surroundings() : ofThisProcess();
  }
}
