package io.nodepool.plugin.explain;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.explain.Explanations;
import io.nodepool.explain.ListedKind;
import io.nodepool.kubernetes.leader.LeadingOperator;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.text.JsonOutput;
import io.nodepool.plugin.text.OutputFormat;
import io.nodepool.plugin.text.TextTable;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/**
 * A command that explains objects that its user may list, or of a file. It writes nothing.
 *
 * @param <T> the explanation
 */
abstract class Explaining<T extends Record> extends PluginCommand {
  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      description =
          "Explain the objects of a file instead of a cluster, as they were when it was written last: the output of kubectl get -o yaml or -o json. With - of standard input.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "json|yaml",
      converter = OutputFormat.OfDescription.class,
      description = "Print a document instead of text.")
  private Optional<OutputFormat> format = Optional.empty();

  /** The explanation; empty if there is nothing of this name. */
  abstract Optional<T> explain(Explanations explanations);

  /** What is explained, for the error. */
  abstract String subject();

  /** The kinds that the explanation needs. */
  abstract Set<ListedKind> needed();

  abstract void print(T answer);

  @Override
  protected final int run(ClusterClient client) {
    return answer(ListedObjects.of(client), now());
  }

  @Override
  protected final Optional<Integer> runWithoutCluster() {
    return file.map(path -> ListedObjects.read(path, now(), this::answer));
  }

  private int answer(ListedObjects listed, Instant at) {
    List<String> warnings = listed.warnings(at);
    Explanations explanations =
        Explanations.of(
            listed.observations(),
            listed.unlisted(),
            listed.operator().flatMap(LeadingOperator::resumed),
            at);
    T answer =
        explain(explanations)
            .orElseThrow(() -> {
              warnings.forEach(each -> err().println("warning: " + each));
              return new CommandFailure(
                  (Collections.disjoint(listed.unlisted().kinds(), needed())
                          ? "there is no %s"
                          : "%s is unknown")
                      .formatted(subject()));
            });
    if (format.isPresent()) {
      out()
          .println(
              JsonOutput.text(
                  ExplanationDocument.of(answer, at, warnings, listed.unlisted()), format.get()));
    } else {
      warnings.forEach(each -> err().println("warning: " + each));
      print(answer);
      printPlan(listed, at);
    }
    return ExitCodes.DONE;
  }

  /** Prints the token of the plan that a forecast would have, if there is a forecast. */
  void printPlan(ListedObjects listed, Instant at) {}

  final void line(String text) {
    out().println(TextTable.plain(text));
  }
}
