package io.nodepool.plugin.input;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.OutputFormat;
import io.nodepool.plugin.text.PrintedList;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a verb prints what it lists, which of it, and whether it goes on with each change. */
public final class ListOptions {
  /** What a list shows may depend on other objects than those that are watched. */
  private static final Duration LONGEST_WATCH = Duration.ofSeconds(10);

  /** What is watched is read again no more often. */
  private static final Duration BETWEEN = Duration.ofSeconds(1);

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormat.OfTable.class,
      description = "wide for more columns, json, yaml, or name.")
  private Optional<OutputFormat> format = Optional.empty();

  @Option(
      names = {"-l", "--selector"},
      paramLabel = "LABELS",
      defaultValue = "",
      description = "Only what has these labels, such as zone=a,team!=b.")
  private String labels = "";

  @Option(
      names = {"-w", "--watch"},
      description = "After the list, print each row that changes.")
  private boolean watch;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** The selector; empty text for everything. */
  public String labels() {
    return labels;
  }

  /** Whether the table has more columns. */
  public boolean isWide() {
    return format.equals(Optional.of(OutputFormat.WIDE));
  }

  /**
   * Prints a list, and, if that is asked for, its changes until the process is ended.
   *
   * @param path the path of the list that is watched
   * @param read reads the list
   * @param none what is said if nothing is found; empty text for nothing
   * @return the exit code
   */
  public int show(
      ClusterClient client, String path, Supplier<PrintedList> read, Supplier<String> none) {
    OptionValues.require(
        spec, !watch || isTable(), "--watch prints a table; leave --output out, or take wide");
    PrintWriter out = spec.commandLine().getOut();
    PrintedList last = read.get();
    if (last.rows().isEmpty() && (isTable() || format.equals(Optional.of(OutputFormat.NAME)))) {
      Optional.of(none.get())
          .filter(text -> !text.isEmpty())
          .ifPresent(spec.commandLine().getErr()::println);
    } else {
      last.print(out, format.orElse(OutputFormat.WIDE));
    }
    while (watch) {
      client.awaitList(path, LONGEST_WATCH);
      PrintedList next = read.get();
      next.printChanges(last, out);
      out.flush();
      last = next;
      PluginSurroundings.of(spec).pause().accept(BETWEEN);
    }
    return ExitCodes.DONE;
  }

  private boolean isTable() {
    return format.isEmpty() || isWide();
  }
}
