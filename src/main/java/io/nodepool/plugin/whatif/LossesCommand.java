package io.nodepool.plugin.whatif;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.ListedManifests;
import io.nodepool.cli.input.ObjectDocuments;
import io.nodepool.drill.workload.Losses;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.watch.ListedObservations;
import io.nodepool.model.Observation;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.TextTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** How many Nodes, or which racks, may be lost before Pods have no Node. */
@Command(
    name = "losses",
    description =
        "How many Nodes of a NodePool, or which of its racks, may be lost before Pods of which workloads have no Node.")
final class LossesCommand extends PluginCommand {
  /** The number of rows after the first row with Pods that have no Node. */
  private static final int MORE = 4;

  /** Without all of these lists, losses would not be visible. */
  private static final Set<Class<? extends HasMetadata>> NEEDED =
      Set.of(NodePool.class, HostResource.class, Node.class, Pod.class);

  @Parameters(
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Name of the NodePool.")
  private String name = "";

  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Ask of the objects of a file instead of a cluster: the output of kubectl get -o yaml or -o json. With - of standard input.")
  private Optional<Path> file = Optional.empty();

  @Override
  protected int run(ClusterClient client) {
    return answer(ListedManifests.of(NEEDED, client::listable), "could not be listed");
  }

  @Override
  protected Optional<Integer> runWithoutCluster() {
    return file.map(path ->
        ObjectDocuments.use(
            path,
            now(),
            (text, _) ->
                answer(ListedManifests.of(NEEDED, text, path.toString()), "are not in " + path)));
  }

  private int answer(ListedManifests listed, String why) {
    if (!listed.unlisted().isEmpty()) {
      throw new CommandFailure(
          "what would be lost is unknown: %s %s"
              .formatted(String.join(", ", listed.unlisted()), why));
    }
    List<HasMetadata> objects = listed.objects();
    NodePool pool =
        all(objects, NodePool.class)
            .filter(each -> each.getMetadata().getName().equals(name))
            .findFirst()
            .orElseThrow(() -> new CommandFailure("NodePool %s does not exist".formatted(name)));
    int spares = spares(objects, pool.getSpec().instanceType);
    Losses losses =
        Losses.of(
            all(objects, Node.class).toList(), all(objects, Pod.class).toList(), name, spares);
    out()
        .println(
            TextTable.plain(
                "NodePool %s: %s, %s of its type %s free"
                    .formatted(
                        name,
                        counted(losses.nodes(), "Node"),
                        counted(spares, "machine"),
                        spares == 1 ? "is" : "are")));
    TextTable table =
        new TextTable("", 2).row("LOST", "PODS WITHOUT A NODE", "ONCE FREE MACHINES JOINED");
    rows(losses).forEach(table::row);
    losses
        .racks()
        .forEach((rack, nodes) ->
            table.row(row("rack %s (%d)".formatted(rack, nodes.size()), losses.of(nodes))));
    table.print(out());
    return losses.ofNodes(1).later().isEmpty() ? ExitCodes.DONE : ExitCodes.BLOCKED;
  }

  /** Rows from the largest number of Nodes whose loss has no effect. */
  private static List<List<String>> rows(Losses losses) {
    int first =
        IntStream.rangeClosed(1, losses.nodes())
            .filter(count -> !losses.ofNodes(count).atOnce().isEmpty())
            .findFirst()
            .orElse(losses.nodes() + 1);
    return IntStream.rangeClosed(first - 1, Math.min(losses.nodes(), first + MORE))
        .filter(count -> count > 0)
        .mapToObj(count -> row(counted(count, "Node"), losses.ofNodes(count)))
        .toList();
  }

  private static String counted(int count, String noun) {
    return "%d %s%s".formatted(count, noun, count == 1 ? "" : "s");
  }

  private static List<String> row(String what, Losses.Loss loss) {
    return List.of(what, text(loss.atOnce()), text(loss.later()));
  }

  private static String text(SortedMap<String, Integer> pods) {
    return pods.isEmpty()
        ? "-"
        : pods.entrySet().stream()
            .map(each -> "%d of %s".formatted(each.getValue(), each.getKey()))
            .collect(Collectors.joining(", "));
  }

  /** How many machines of a type another pool could get now. */
  private static int spares(List<HasMetadata> objects, String type) {
    return (int)
        all(objects, HostResource.class)
            .flatMap(each -> ListedObservations.of(each).stream())
            .flatMap(each ->
                each instanceof Observation.HostSeen(Host host) ? Stream.of(host) : Stream.empty())
            .filter(host -> host.machine().instanceType().equals(type))
            .filter(host -> host.isFree() && !host.deliveries().isSetAside())
            .count();
  }

  private static <T extends HasMetadata> Stream<T> all(List<HasMetadata> objects, Class<T> type) {
    return objects.stream().filter(type::isInstance).map(type::cast);
  }
}
