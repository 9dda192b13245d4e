package io.nodepool.cli.input;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option for the speed of simulated machines. */
public final class SpeedOption {
  /**
   * The maximum speed: above it the scaled deadlines are shorter than the cluster's own delays
   * (D127).
   */
  private static final int FASTEST = 1000;

  @Option(
      names = "--speed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many times faster machines boot and are cleaned. nodepool dev also divides the deadlines of its operator and the soak of a canary by it. Default: ${DEFAULT-VALUE}.")
  private int times = 1;

  /** The speed factor. */
  public int times() {
    return times;
  }

  /** Rejects a value out of range. */
  public void check(CommandSpec spec) {
    OptionValues.require(
        spec,
        times >= 1 && times <= FASTEST,
        "--speed must be a whole number from 1 to %d, not %d.".formatted(FASTEST, times));
  }
}
