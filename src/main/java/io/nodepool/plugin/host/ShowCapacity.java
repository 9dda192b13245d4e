package io.nodepool.plugin.host;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.plugin.input.ClusterOptions;
import io.nodepool.plugin.input.ListOptions;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.PrintedList;
import io.nodepool.plugin.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the Hosts of each instance type by their use, what is queued, and the quota. */
@Command(
    name = "capacity",
    mixinStandardHelpOptions = true,
    description = {
      "Show for each instance type how many Hosts are free, held by NodePools, set aside, or not ready for use; how many Nodes are queued; and the quota.",
      "On-demand NodePools may take the Hosts of SPOT. QUEUED are Nodes that wait for a Host. LEFT is what is left of the quota."
    })
public final class ShowCapacity implements Callable<Integer> {
  @Parameters(paramLabel = "TYPE", description = "Instance types. Default: all.")
  private List<String> types = new ArrayList<>();

  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      defaultValue = OfferDocument.NAMESPACE,
      converter = OptionValues.OfNamespace.class,
      description =
          "Namespace of the operator, where the fleet's offer is. Default: ${DEFAULT-VALUE}.")
  private String namespace = OfferDocument.NAMESPACE;

  @Mixin private final ListOptions list = new ListOptions();
  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    try (ClusterClient client = cluster.open()) {
      Optional<FleetOffer> offer = offer(client);
      return list.show(
          client, ApiPaths.HOSTS, () -> listing(client, offer), () -> "No Hosts found.");
    }
  }

  private Optional<FleetOffer> offer(ClusterClient client) {
    Optional<String> text = client.offer(namespace);
    if (text.isEmpty()) {
      spec.commandLine()
          .getErr()
          .println(
              "The fleet's offer cannot be read, ConfigMap %s in Namespace %s: quota is not shown."
                  .formatted(OfferDocument.NAME, namespace));
    }
    try {
      return text.map(OfferDocument::read);
    } catch (UnreadableObjectException e) {
      throw new CommandFailure("the fleet's offer: " + e.getMessage(), e);
    }
  }

  private PrintedList listing(ClusterClient client, Optional<FleetOffer> offer) {
    List<List<String>> rows = new ArrayList<>();
    CapacityReading.read(client.hosts(list.labels()), client.readablePools(), offer)
        .forEach((type, of) -> {
          if (types.isEmpty() || types.contains(type)) {
            rows.add(row(type, of));
          }
        });
    return new PrintedList(
        "instancetype",
        0,
        List.of(
            "TYPE",
            "HOSTS",
            "FREE",
            "ON-DEMAND",
            "SPOT",
            "SET-ASIDE",
            "NOT-READY",
            "QUEUED",
            "QUOTA",
            "LEFT"),
        rows,
        Optional.empty());
  }

  private static List<String> row(String type, CapacityReading.OfType of) {
    return List.of(
        TextTable.orNone(type),
        String.valueOf(of.all()),
        String.valueOf(of.hosts(CapacityReading.Use.FREE)),
        String.valueOf(of.hosts(CapacityReading.Use.ON_DEMAND)),
        String.valueOf(of.hosts(CapacityReading.Use.SPOT)),
        String.valueOf(of.hosts(CapacityReading.Use.SET_ASIDE)),
        String.valueOf(of.hosts(CapacityReading.Use.NOT_READY)),
        String.valueOf(of.queued()),
        TextTable.orNone(of.quota().map(String::valueOf).orElse("")),
        TextTable.orNone(of.left().map(String::valueOf).orElse("")));
  }
}
