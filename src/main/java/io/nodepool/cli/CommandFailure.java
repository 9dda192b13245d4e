package io.nodepool.cli;

/** A command cannot go on; the message is the one line that the person at the terminal gets. */
final class CommandFailure extends RuntimeException {
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
  CommandFailure(String message, Throwable cause) {
    super(message, cause);
    this.exitCode = ExitCodes.FAILED;
  }

  int exitCode() {
    return exitCode;
  }
}
