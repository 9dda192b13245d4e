package io.nodepool.cli.input;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The option that says how much faster than described simulated machines are. */
public final class SpeedOption {
  /**
   * The greatest speed: above it the deadlines get too short for what a cluster takes by itself.
   */
  private static final int FASTEST = 1000;

  @Option(
      names = "--speed",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many times faster machines boot and are cleaned. Default: ${DEFAULT-VALUE}.")
  private int times = 1;

  /** How many times faster. */
  public int times() {
    return times;
  }

  /** Says what is wrong with the value, if anything is. */
  public void check(CommandSpec spec) {
    OptionValues.require(
        spec,
        times >= 1 && times <= FASTEST,
        "--speed must be a whole number from 1 to %d, not %d.".formatted(FASTEST, times));
  }
}
