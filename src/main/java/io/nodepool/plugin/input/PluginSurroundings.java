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
 * What a command of the plugin has around it.
 *
 * @param user the person at the terminal
 * @param clock the wall clock, for the times that a request contains and for ages
 * @param nanos a steady clock, for time-outs
 * @param pause lets a time pass, between two reads of what is watched
 */
public record PluginSurroundings(
    Questions user, InstantSource clock, LongSupplier nanos, Consumer<Duration> pause) {
  /** A command line whose commands have these surroundings. */
  public interface Holder {
    /** What its commands have around them. */
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

  /** Those of this process; it asks on standard error. */
  public static PluginSurroundings ofThisProcess(PrintWriter err) {
    return new PluginSurroundings(
        Questions.onTerminal(err),
        InstantSource.system(),
        System::nanoTime,
        time -> LockSupport.parkNanos(time.toNanos()));
  }
}
