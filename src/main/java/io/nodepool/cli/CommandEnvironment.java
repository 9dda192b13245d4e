package io.nodepool.cli;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What a command finds around it.
 *
 * @param environment the environment variables
 * @param home the user's home directory
 */
public record CommandEnvironment(Map<String, String> environment, Path home) {
  public CommandEnvironment {
    environment = Map.copyOf(environment);
  }

  /** Those of this process. */
  static CommandEnvironment ofThisProcess() {
    return new CommandEnvironment(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /** Those that the command line was given; a command that runs alone has those of the process. */
  public static CommandEnvironment of(CommandSpec spec) {
    return spec.root().userObject() instanceof Main all ? all.surroundings() : ofThisProcess();
  }
}
