package io.nodepool.plugin.input;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.TenantWork;
import io.nodepool.plugin.text.TextTable;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Asks a person for consent to a command that may end work. */
public final class Consent {
  private static final int SHOWN = 5;

  @Option(
      names = {"-y", "--yes"},
      description = "Do not ask, even if the command may end work of tenants.")
  private boolean yes;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec command;

  /**
   * Prints on standard error what will happen to an object and which work may end, and asks. Does
   * nothing if no work runs. Commands call it after their reads, before their writes.
   *
   * @param nodes the Nodes on which work may end
   * @param what a sentence without its full stop, which begins with the object
   * @param forced whether another option of the command suppresses the question
   * @throws CommandFailure if the person does not agree, or cannot be asked
   */
  public void confirm(
      ClusterClient client, Supplier<List<NodeReading>> nodes, String what, boolean forced) {
    TenantWork work = TenantWork.on(client, nodes);
    if (work.lines().isEmpty()) {
      return;
    }
    String text =
        "%s. Work that may end%s:\n  %s"
            .formatted(
                what,
                work.nodes().isEmpty() ? "" : " on " + joined(work.nodes(), ", "),
                joined(work.lines(), "\n  "));
    if (yes || forced || !client.dryRun().writes()) {
      command.commandLine().getErr().println(text);
      return;
    }
    boolean agreed =
        PluginSurroundings.of(command)
            .user()
            .ask(text + "\nGo on?")
            .orElseThrow(() ->
                new CommandFailure(
                    "work may end, and without a terminal nobody can be asked; --yes does it without a question: "
                        + joined(work.lines(), "; ")));
    if (!agreed) {
      throw new CommandFailure("nothing was written, since you did not agree");
    }
  }

  private static String joined(List<String> texts, String between) {
    Stream<String> more =
        texts.size() > SHOWN
            ? Stream.of("and %d more".formatted(texts.size() - SHOWN))
            : Stream.empty();
    return Stream.concat(texts.stream().limit(SHOWN).map(TextTable::plain), more)
        .collect(Collectors.joining(between));
  }
}
