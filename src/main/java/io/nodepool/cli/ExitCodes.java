package io.nodepool.cli;

/** What the program's exit code says; a signal ends it with 128 and the signal's number. */
public final class ExitCodes {
  /** It did what it was asked to. */
  public static final int DONE = 0;

  /** It could not; standard error says why. */
  public static final int FAILED = 1;

  /** An option, a file or an environment variable is wrong; nothing was started. */
  static final int USAGE = 2;

  /** A NodePool cannot reach its target as it is. */
  public static final int UNREACHABLE = 3;

  /** A NodePool did not reach its target in time. */
  public static final int TIMED_OUT = 4;

  private ExitCodes() {}
}
