package io.nodepool.cli.command;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
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

  /** A command line that runs its commands in an environment. */
  public interface Holder {
    /** The environment of its commands. */
    CommandEnvironment environment();
  }

  /** The environment of this process. */
  public static CommandEnvironment ofThisProcess() {
    return new CommandEnvironment(System.getenv(), Path.of(System.getProperty("user.home")));
  }

  /** The version of the jar, or {@code development} outside of one. */
  public static String version() {
    return Optional.ofNullable(CommandEnvironment.class.getPackage().getImplementationVersion())
        .orElse("development");
  }

  /** The environment of a command line; that of the process for a command that runs alone. */
  public static CommandEnvironment of(CommandSpec spec) {
    return spec.root().userObject() instanceof Holder holder
        ? holder.environment()
        : ofThisProcess();
  }
}
