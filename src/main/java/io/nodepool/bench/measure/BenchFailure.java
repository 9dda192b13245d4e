package io.nodepool.bench.measure;

/** A measurement failed; the message is one line for the user at the terminal. */
public final class BenchFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean timedOut;

  private BenchFailure(String message, boolean timedOut) {
    super(message);
    this.timedOut = timedOut;
  }

  /** A failure other than a timeout. */
  public static BenchFailure because(String why) {
    return new BenchFailure(why, false);
  }

  /** A condition did not hold before the deadline. */
  public static BenchFailure timedOut(String what) {
    return new BenchFailure(what, true);
  }

  /** The measurement was interrupted; the thread remains interrupted. */
  public static BenchFailure interrupted() {
    Thread.currentThread().interrupt();
    return because("The measurement was interrupted.");
  }

  /** Whether the failure is a timeout. */
  public boolean isTimeOut() {
    return timedOut;
  }
}
