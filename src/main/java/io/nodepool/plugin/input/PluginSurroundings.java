package io.nodepool.plugin.input;

import io.nodepool.plugin.request.TimeLimit;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The user and the clocks of a command.
 *
 * @param user the person at the terminal
 * @param clock the wall clock, for the times that a request contains and for ages
 * @param nanos a steady clock, for time-outs
 * @param pause waits, between two reads of a watched list
 */
public record PluginSurroundings(
    Questions user, InstantSource clock, LongSupplier nanos, Consumer<Duration> pause) {
  /** A command line whose commands have these surroundings. */
  public interface Holder {
    /** The surroundings of its commands. */
    PluginSurroundings surroundings();
  }

  /** The surroundings of a command of the plugin. */
  public static PluginSurroundings of(CommandSpec command) {
    return ((Holder) command.root().userObject()).surroundings();
  }

  /** A time-out that begins now. */
  public TimeLimit limit(Optional<Duration> timeout) {
    return new TimeLimit(timeout, nanos);
  }

  /** The surroundings of this process; questions go to standard error. */
  public static PluginSurroundings ofThisProcess(PrintWriter err) {
    return new PluginSurroundings(
        Questions.onTerminal(err),
        InstantSource.system(),
        System::nanoTime,
        time -> LockSupport.parkNanos(time.toNanos()));
  }
}
