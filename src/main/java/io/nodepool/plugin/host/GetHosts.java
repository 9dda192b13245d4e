package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.fleet.Host;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.plugin.input.ListingCommand;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.PrintedList;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists Hosts. */
@Command(
    name = "get",
    description = {
      "List Hosts: what they are, whether they may be assigned, and which NodePool has them.",
      "With -o wide: where they are, since when they are in their phase, and what their fleet says about that."
    })
final class GetHosts extends ListingCommand {
  @Parameters(
      paramLabel = "HOST",
      converter = NameOf.OneHost.class,
      description = "Names of Hosts. Default: all.")
  private List<String> names = new ArrayList<>();

  @Option(names = "--set-aside", description = "Only Hosts that are set aside.")
  private boolean setAside;

  @Override
  protected int run(ClusterClient client) {
    return show(client, ApiPaths.HOSTS, () -> listing(read(client)), () -> "No Hosts found.");
  }

  private List<JsonNode> read(ClusterClient client) {
    List<JsonNode> hosts = client.hosts(labels());
    List<String> known = hosts.stream().map(RackReading::name).toList();
    names.forEach(name -> requireKnown("host/" + name, name, known));
    return hosts.stream()
        .filter(host -> names.isEmpty() || names.contains(RackReading.name(host)))
        .filter(host -> !setAside || host.path("spec").hasNonNull("setAside"))
        .toList();
  }

  private PrintedList listing(List<JsonNode> hosts) {
    Columns<JsonNode> columns =
        new Columns<JsonNode>(now())
            .name("NAME", RackReading::name)
            .addIfAny("TYPE", text("/spec/machine/instanceType"))
            .addIfAny("PHASE", text("/status/phase"))
            .addIfAny("POOL", text("/spec/assignment/pool"))
            .addIfAny("RACK", text("/spec/machine/rack"))
            .addIfAny("SET-ASIDE", text("/spec/setAside"))
            .addIfAny("HELD", this::held)
            .age("AGE", text("/metadata/creationTimestamp"));
    if (isWide()) {
      columns
          .addIfAny("ZONE", text("/spec/machine/zone"))
          .addIfAny("SLOT", text("/spec/machine/slot"))
          .age("SINCE", text("/status/since"))
          .addIfAny("POWER", text("/status/power/state"))
          .addIfAny("MESSAGE", text("/status/message"));
    }
    return columns.list("host", hosts, Function.identity());
  }

  /** Why nothing begins on its machine. */
  private String held(JsonNode host) {
    try {
      return HostReading.of(host).flatMap(each -> each.hold(now())).map(Host.Hold::word).orElse("");
    } catch (UnreadableObjectException e) {
      return "";
    }
  }

  private static Function<JsonNode, String> text(String field) {
    return host -> host.at(field).asText("");
  }
}
