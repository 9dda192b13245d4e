package io.nodepool.cli;

/** A command cannot go on; the message is the one line that the person at the terminal gets. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** A failure with the exit code 1. */
  CommandFailure(String message) {
    this(ExitCodes.FAILED, message);
  }

  /** A failure with an exit code of its own. */
  CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** A failure that something below reported. */
  public CommandFailure(String message, Throwable cause) {
    this(ExitCodes.FAILED, message, cause);
  }

  private CommandFailure(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** An option, a file or an environment variable of the user's is wrong. */
  public static CommandFailure wrongInput(String message) {
    return new CommandFailure(ExitCodes.USAGE, message);
  }

  /** The same, as something below reported it. */
  public static CommandFailure wrongInput(String message, Throwable cause) {
    return new CommandFailure(ExitCodes.USAGE, message, cause);
  }

  int exitCode() {
    return exitCode;
  }
}
