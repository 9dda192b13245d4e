package io.nodepool.bench;

/** A measurement that could not be made; the message is one line for the person at the terminal. */
public final class BenchFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean timedOut;

  private BenchFailure(String message, boolean timedOut) {
    super(message);
    this.timedOut = timedOut;
  }

  /** Something went wrong. */
  public static BenchFailure because(String why) {
    return new BenchFailure(why, false);
  }

  /** What was waited for did not come in time. */
  public static BenchFailure timedOut(String what) {
    return new BenchFailure(what, true);
  }

  /** Whether it failed for want of time alone. */
  public boolean isTimeOut() {
    return timedOut;
  }
}
