package io.nodepool.plugin.host;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.plugin.input.ListingCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.PrintedList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the Hosts of each instance type by their use, what is queued, and the quota. */
@Command(
    name = "capacity",
    description = {
      "Show the Hosts of each instance type by their use, the Nodes that are queued, and the quota.",
      "On-demand NodePools may take the Hosts of SPOT. QUEUED are Nodes that wait for a Host. LEFT is what is left of the quota."
    })
public final class ShowCapacity extends ListingCommand {
  @Parameters(paramLabel = "TYPE", description = "Instance types. Default: all.")
  private List<String> types = new ArrayList<>();

  @Option(
      names = "--fleet-namespace",
      paramLabel = "NAME",
      defaultValue = OfferDocument.NAMESPACE,
      converter = OptionValues.OfNamespace.class,
      description =
          "Namespace of the operator, where the fleet's offer is. Default: ${DEFAULT-VALUE}.")
  private String namespace = OfferDocument.NAMESPACE;

  @Override
  protected int run(ClusterClient client) {
    Optional<FleetOffer> offer = offer(client);
    return show(client, ApiPaths.HOSTS, () -> listing(client, offer), () -> "No Hosts found.");
  }

  private Optional<FleetOffer> offer(ClusterClient client) {
    Optional<String> text = client.offer(namespace);
    if (text.isEmpty()) {
      err()
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
    Columns<CapacityReading> columns =
        new Columns<CapacityReading>(now())
            .name("TYPE", CapacityReading::type)
            .add("HOSTS", CapacityReading::all)
            .add("FREE", of -> of.hosts(CapacityReading.Use.FREE))
            .add("ON-DEMAND", of -> of.hosts(CapacityReading.Use.ON_DEMAND))
            .add("SPOT", of -> of.hosts(CapacityReading.Use.SPOT))
            .add("SET-ASIDE", of -> of.hosts(CapacityReading.Use.SET_ASIDE))
            .add("NOT-READY", of -> of.hosts(CapacityReading.Use.NOT_READY))
            .add("QUEUED", CapacityReading::queued)
            .add("QUOTA", CapacityReading::quota)
            .add("LEFT", CapacityReading::left);
    List<CapacityReading> found =
        CapacityReading.byType(client.hosts(labels()), client.readablePools(), offer);
    List<String> known = found.stream().map(CapacityReading::type).toList();
    types.forEach(type -> requireKnown("instance type " + type, type, known));
    return columns.list(
        "instancetype",
        found.stream().filter(of -> types.isEmpty() || types.contains(of.type())).toList());
  }
}
