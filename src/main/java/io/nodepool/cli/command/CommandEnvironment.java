package io.nodepool.cli.command;

import java.io.Console;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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

  /** Whether its output is a terminal that can be drawn on. */
  // Whether System.console() exists without a terminal differs between JDKs.
  @SuppressWarnings("SystemConsoleNull")
  public static boolean isOnTerminal() {
    @Nullable Console console = System.console();
    return console != null && console.isTerminal() && !"dumb".equals(System.getenv("TERM"));
  }

  /**
   * The version of the jar, followed by a plus and its commit if that is known; {@code development}
   * outside of a jar.
   */
  public static String version() {
    return Optional.ofNullable(CommandEnvironment.class.getPackage().getImplementationVersion())
        .orElse("development");
  }

  /** The text of {@code --version} for a program. */
  public static String versionOf(String program) {
    return program + " " + version().replaceFirst("[+](.+)", " (commit $1)");
  }

  /** The environment of a command line; the process's for a command that runs alone. */
  public static CommandEnvironment of(CommandSpec spec) {
    return spec.root().userObject() instanceof Holder holder
        ? holder.environment()
        : ofThisProcess();
  }
}
