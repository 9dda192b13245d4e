package io.nodepool.plugin.input;

import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * What a command of the plugin has around it.
 *
 * @param user the person at the terminal
 * @param clock the wall clock, for the times that a request contains and for ages
 * @param nanos a steady clock, for time-outs
 */
public record PluginSurroundings(Questions user, InstantSource clock, LongSupplier nanos) {
  /** A command line whose commands have these surroundings. */
  public interface Holder {
    /** What its commands have around them. */
    PluginSurroundings surroundings();
  }

  /** The surroundings of a command of the plugin. */
  public static PluginSurroundings of(CommandSpec command) {
    return ((Holder) command.root().userObject()).surroundings();
  }

  /** Those of this process; it asks on standard error. */
  public static PluginSurroundings ofThisProcess(PrintWriter err) {
    return new PluginSurroundings(
        Questions.onTerminal(err), InstantSource.system(), System::nanoTime);
  }
}
