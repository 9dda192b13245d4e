package io.nodepool.cli.kubectl;

import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * What a command of the plugin has around it.
 *
 * @param user the person at the terminal
 * @param clock the wall clock, for the times that a request contains and for ages
 * @param nanos a steady clock, for time-outs
 */
public record PluginSurroundings(Questions user, InstantSource clock, LongSupplier nanos) {
  /** Those of this process; it asks on standard error. */
  static PluginSurroundings ofThisProcess(PrintWriter err) {
    return new PluginSurroundings(
        Questions.onTerminal(err), InstantSource.system(), System::nanoTime);
  }
}
