package io.nodepool.plugin.explain;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.explain.Explanations;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.text.TextTable;
import java.util.Optional;

/**
 * A command that explains something from what its user may list. It writes nothing.
 *
 * @param <T> the explanation
 */
abstract class Explaining<T> extends PluginCommand {
  /** The explanation; empty if there is nothing of this name. */
  abstract Optional<T> explain(Explanations explanations);

  /** What the name is of, for the error. */
  abstract String subject();

  abstract void print(T answer);

  @Override
  protected final int run(ClusterClient client) {
    ListedObjects listed = ListedObjects.of(client);
    listed.missing().forEach(each -> err().println("warning: " + each));
    Explanations explanations = Explanations.of(listed.observations(), now());
    print(
        explain(explanations)
            .orElseThrow(
                () -> new CommandFailure("there is no %s that can be read".formatted(subject()))));
    return ExitCodes.DONE;
  }

  final void line(String text) {
    out().println(TextTable.plain(text));
  }
}
