package io.nodepool.plugin.node;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.ClusterOptions;
import io.nodepool.plugin.input.EachObject;
import io.nodepool.plugin.request.ClusterClient;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The Nodes of a command, and their cluster. Every Node is tried, whatever happens to others. */
final class NodeArguments {
  @Parameters(
      arity = "1..*",
      paramLabel = "NODE",
      converter = OptionValues.OfName.class,
      description = "Names of Nodes.")
  private List<String> names = new ArrayList<>();

  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** Does something with each Node and returns the exit code: 1 if it failed for one. */
  int each(EachObject.Task task) {
    return objects().all(cluster, names, task);
  }

  /** The exit code of a command that succeeded for these Nodes. */
  int exitCode(List<String> done) {
    return done.size() == names().size() ? ExitCodes.DONE : ExitCodes.FAILED;
  }

  /** The command that has these arguments. */
  CommandSpec command() {
    return spec;
  }

  /** The cluster. */
  ClusterClient open() {
    return cluster.open();
  }

  /** The Nodes, each once. */
  List<String> names() {
    return List.copyOf(new LinkedHashSet<>(names));
  }

  /** Does something with each of these Nodes, and returns those for which it succeeded. */
  List<String> each(ClusterClient client, List<String> nodes, EachObject.Task task) {
    return objects().run(client, nodes, task);
  }

  private EachObject objects() {
    return new EachObject(spec.commandLine(), "node");
  }
}
