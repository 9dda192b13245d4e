package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.plugin.input.ListingCommand;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.request.SignalReading;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.PrintedList;
import io.nodepool.plugin.text.TextTable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists what is reported about the health of machines, rack by rack. */
@Command(
    name = "health",
    description = {
      "List what is reported about the health of machines, rack by rack, the strongest first.",
      "PART OF is the alert whose symptom it is, or the rack, if it began on enough of its machines at once.",
      "A signal is stale if its source was not heard of for long; nothing begins for it.",
      "Grades and times of silence are those of the alert catalogue that ships with the operator.",
      "What the operator finds about whole racks, and what holds the repairs of NodePools, is printed on standard error."
    })
public final class ShowHealth extends ListingCommand {
  @Parameters(
      arity = "0..1",
      paramLabel = "POOL|RACK",
      converter = NameOf.PoolOrRack.class,
      description = "Name of a NodePool, or of a rack. Default: all machines.")
  private Optional<String> of = Optional.empty();

  @Option(names = "--ended", description = "Also signals that have ended.")
  private boolean ended;

  /** A signal about a machine. */
  private record Row(String rack, String pool, String host, SignalReading signal, String partOf) {
    static final Comparator<Row> ORDER =
        Comparator.comparing(Row::rack)
            .thenComparing(each -> each.signal().alert().grade(), Comparator.reverseOrder())
            .thenComparing(Row::host)
            .thenComparing(each -> each.signal().key());
  }

  @Override
  protected int run(ClusterClient client) {
    List<PoolReading> pools = client.readablePools();
    int code =
        show(
            client,
            ApiPaths.HOSTS,
            () -> listing(rows(client, pools)),
            () -> "Nothing is reported" + of.map(each -> " about " + each).orElse("") + ".");
    pools.forEach(this::printRacks);
    pools.stream()
        .filter(pool -> pool.repairsWaiting() > 0)
        .filter(pool -> of.filter(each -> !each.equals(pool.name())).isEmpty())
        .forEach(this::printHeld);
    return code;
  }

  private void printRacks(PoolReading pool) {
    pool.rackAlerts()
        .forEach((rack, alerts) -> {
          if (of.filter(each -> !each.equals(pool.name()) && !each.equals(rack)).isEmpty()) {
            alerts.forEach(alert -> err().println(TextTable.plain(alert)));
          }
        });
  }

  private void printHeld(PoolReading pool) {
    StringBuilder line =
        new StringBuilder(
            "NodePool %s: %s to be repaired. %s"
                .formatted(
                    pool.name(),
                    pool.repairsWaiting() == 1
                        ? "1 Node waits"
                        : pool.repairsWaiting() + " Nodes wait",
                    pool.repairsHeldBy()));
    pool.suspects()
        .forEach(alert ->
            line.append(
                " To release it: kubectl nodepool release %s --suspect %s."
                    .formatted(pool.name(), alert)));
    err().println(TextTable.plain(line.toString()));
  }

  private List<Row> rows(ClusterClient client, List<PoolReading> pools) {
    List<JsonNode> hosts = client.hosts(labels());
    of.ifPresent(name -> requireKnown("NodePool or rack " + name, name, places(hosts, pools)));
    RackReading racks = RackReading.of(hosts, client.signalsByHost(), client.heartbeats(), now());
    return hosts.stream()
        .flatMap(host -> rows(host, racks))
        .filter(row ->
            of.filter(each -> !each.equals(row.pool()) && !each.equals(row.rack())).isEmpty())
        .sorted(Row.ORDER)
        .toList();
  }

  /** What may be named: NodePools, and the racks of machines. */
  private static List<String> places(List<JsonNode> hosts, List<PoolReading> pools) {
    return Stream.concat(
            pools.stream().map(PoolReading::name),
            hosts.stream()
                .flatMap(host ->
                    Stream.of("/spec/machine/rack", "/spec/assignment/pool")
                        .map(field -> host.at(field).asText(""))))
        .toList();
  }

  private Stream<Row> rows(JsonNode host, RackReading racks) {
    String name = RackReading.name(host);
    return racks.signals().getOrDefault(name, List.of()).stream()
        .filter(signal -> ended || !signal.isEnded())
        .map(signal ->
            new Row(
                host.at("/spec/machine/rack").asText(""),
                host.at("/spec/assignment/pool").asText(""),
                name,
                signal,
                racks.partOf(host, signal)));
  }

  private PrintedList listing(List<Row> rows) {
    Columns<Row> columns =
        new Columns<Row>(now())
            .addIfAny("RACK", Row::rack)
            .addIfAny("POOL", Row::pool)
            .name("HOST", Row::host)
            .add(
                "ALERT",
                row -> row.signal().key().name() + (isDocument() ? "" : row.signal().mark()))
            .add("COMPONENT", row -> row.signal().key().component())
            .add("SOURCE", row -> row.signal().key().source())
            .age("SINCE", row -> row.signal().since());
    if (isDocument()) {
      columns
          .age("ENDED AT", row -> row.signal().ended())
          .add("STALE", row -> row.signal().isStale())
          .add("GRADE", row -> row.signal().alert().grade().word())
          .add("KNOWN", row -> row.signal().alert().isKnown());
    } else {
      columns.add("GRADE", row -> row.signal().gradeWord());
    }
    return columns.addIfAny("PART OF", Row::partOf).list("host", rows);
  }
}
