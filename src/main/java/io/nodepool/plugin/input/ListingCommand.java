package io.nodepool.plugin.input;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.Similar;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.OutputFormat;
import io.nodepool.plugin.text.PrintedList;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import picocli.CommandLine.Option;

/** A command that lists objects: its output format, its selector and its watch. */
public abstract class ListingCommand extends PluginCommand {
  /** A list may also depend on objects that are not watched. */
  private static final Duration LONGEST_WATCH = Duration.ofSeconds(10);

  /** The shortest time between two reads of a list. */
  private static final Duration BETWEEN = Duration.ofSeconds(1);

  @Option(
      names = {"-o", "--output"},
      paramLabel = "wide|json|yaml|name",
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

  @Option(names = "--no-headers", description = "Leave out the titles of the columns.")
  private boolean noHeaders;

  /** The selector; empty text for everything. */
  protected final String labels() {
    return labels;
  }

  /** Whether it prints values for programs instead of texts. */
  protected final boolean isDocument() {
    return format.filter(OutputFormat::isDocument).isPresent();
  }

  /** Whether the table has more columns. */
  protected final boolean isWide() {
    return format.equals(Optional.of(OutputFormat.WIDE));
  }

  /**
   * Prints a list, and with {@code --watch} its changes until the process ends.
   *
   * @param path the path of the list that is watched
   * @param read reads the list
   * @param none the message if nothing is found; empty text for no message
   * @return the exit code
   */
  protected final int show(
      ClusterClient client, String path, Supplier<PrintedList> read, Supplier<String> none) {
    require(!watch || isTable(), "--watch prints a table; leave --output out, or take wide");
    PrintedList last = read.get();
    if (last.rows().isEmpty() && (isTable() || format.equals(Optional.of(OutputFormat.NAME)))) {
      Optional.of(none.get()).filter(text -> !text.isEmpty()).ifPresent(err()::println);
    } else {
      last.print(out(), format.orElse(OutputFormat.WIDE), !noHeaders);
    }
    while (watch) {
      client.awaitList(path, LONGEST_WATCH);
      PrintedList next = read.get();
      next.printChanges(last, out(), !noHeaders);
      out().flush();
      last = next;
      surroundings().pause().accept(BETWEEN);
    }
    return ExitCodes.DONE;
  }

  /** Fails unless a name is known. The error mentions the labels, if any are given. */
  protected final void requireKnown(String what, String name, Collection<String> known) {
    if (!known.contains(name)) {
      throw new CommandFailure(
          "there is no %s%s%s"
              .formatted(
                  what, labels.isEmpty() ? "" : " with these labels", Similar.hint(name, known)));
    }
  }

  private boolean isTable() {
    return format.isEmpty() || isWide();
  }
}
