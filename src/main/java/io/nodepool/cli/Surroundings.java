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
record Surroundings(Map<String, String> environment, Path home) {
  Surroundings {
    environment = Map.copyOf(environment);
  }

  /** Those of this process. */
  static Surroundings ofThisProcess() {
    return new Surroundings(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /** Those that the command line was given; a command that runs alone has those of the process. */
  static Surroundings of(CommandSpec spec) {
    return spec.root().userObject() instanceof Main all ? all.surroundings() : ofThisProcess();
  }
}
