package io.nodepool.cli.command;

/** The program's exit codes; after a signal the code is 128 plus the signal's number. */
public final class ExitCodes {
  /** The command succeeded. */
  public static final int DONE = 0;

  /** The command failed; the reason is on standard error. */
  public static final int FAILED = 1;

  /** An option, a file or an environment variable is wrong; nothing was started. */
  public static final int USAGE = 2;

  /**
   * The user must change something: a NodePool cannot reach its target, the request is blocked or
   * loses work, the token of a plan is refused, or a fleet violates its contract.
   */
  public static final int BLOCKED = 3;

  /** The awaited state, such as the target of a NodePool, did not come in time. */
  public static final int TIMED_OUT = 4;

  /** The awaited rollout paused by itself. */
  public static final int PAUSED = 5;

  /** The awaited rollout was stopped. */
  public static final int STOPPED = 6;

  private ExitCodes() {}
}
