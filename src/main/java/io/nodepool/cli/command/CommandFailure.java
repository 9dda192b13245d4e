package io.nodepool.cli.command;

/** A command failed; the message is the line that is printed for the user. */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** A failure with the exit code 1. */
  public CommandFailure(String message) {
    this(ExitCodes.FAILED, message);
  }

  /** A failure with another exit code. */
  public CommandFailure(int exitCode, String message) {
    super(message);
    this.exitCode = exitCode;
  }

  /** A failure with a cause. */
  public CommandFailure(String message, Throwable cause) {
    this(ExitCodes.FAILED, message, cause);
  }

  private CommandFailure(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** An option, a file or an environment variable is wrong. */
  public static CommandFailure wrongInput(String message) {
    return new CommandFailure(ExitCodes.USAGE, message);
  }

  /** Wrong input, with a cause. */
  public static CommandFailure wrongInput(String message, Throwable cause) {
    return new CommandFailure(ExitCodes.USAGE, message, cause);
  }

  public int exitCode() {
    return exitCode;
  }
}
