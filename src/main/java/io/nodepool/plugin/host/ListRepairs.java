package io.nodepool.plugin.host;

import io.nodepool.cli.input.OptionValues;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.plugin.host.RepairedMachine.Repair;
import io.nodepool.plugin.input.ListingCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.PrintedList;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Lists which machines, racks or switches were repaired most often. */
@Command(
    name = "repairs",
    description = {
      "List which machines were repaired most often, or in which racks, or at which leaf switches.",
      "BOOTS are power cycles for alerts; FAILED are those after which the machine did not come back or did not pass its verification. COMPONENTS are repairs of components while the machine ran. SET-ASIDE are machines that are not assigned any more; LAST and ALERTS have those too that were set aside for an alert.",
      "A Host remembers its last 10 boots, and for each alert the last repair of a component."
    })
public final class ListRepairs extends ListingCommand {
  /** How machines are grouped. */
  enum By {
    /** Each machine alone. */
    HOST,
    /** The machines of a rack. */
    RACK,
    /** The machines that are connected to the same leaf switches. */
    SWITCH;

    /** Reads one of the words. */
    static final class OfWord implements ITypeConverter<By> {
      @Override
      public By convert(String text) {
        return Stream.of(values())
            .filter(by -> by.word().equals(text))
            .findFirst()
            .orElseThrow(() ->
                new TypeConversionException("\"%s\" is not host, rack or switch".formatted(text)));
      }
    }

    private String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    private String of(RepairedMachine.Place place) {
      return switch (this) {
        case HOST -> place.host();
        case RACK -> place.rack();
        case SWITCH -> place.leaf();
      };
    }
  }

  @Option(
      names = "--by",
      paramLabel = "host|rack|switch",
      converter = By.OfWord.class,
      description = "What is counted together. Default: host.")
  private By by = By.HOST;

  @Option(
      names = "--within",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "Only repairs that were requested within this time. Default: 720h.")
  private Duration within = Duration.ofDays(30);

  /** Machines that are counted together. */
  private record Row(String name, List<RepairedMachine> machines) {
    static final Comparator<Row> ORDER =
        Comparator.comparingInt(Row::total)
            .thenComparingLong(Row::setAside)
            .reversed()
            .thenComparing(Row::name);

    private RepairedMachine.Place first() {
      return machines.getFirst().place();
    }

    private Stream<Repair> repairs() {
      return machines.stream().flatMap(machine -> machine.repairs().stream());
    }

    private int total() {
      return repairs().mapToInt(Repair::tries).sum();
    }

    private int components() {
      return repairs().filter(Repair::ofComponent).mapToInt(Repair::tries).sum();
    }

    private long failed() {
      return repairs().filter(Repair::isFailed).count();
    }

    private long repaired() {
      return machines.stream()
          .filter(machine -> machine.repairs().stream().anyMatch(each -> each.tries() > 0))
          .count();
    }

    private long setAside() {
      return machines.stream().filter(RepairedMachine::isSetAside).count();
    }

    private Optional<Instant> last() {
      return repairs().map(Repair::at).max(Instant::compareTo);
    }

    /** The alerts, most repairs first; a machine that is set aside counts as one repair. */
    private Map<String, Integer> alerts() {
      Map<String, Integer> tries =
          repairs()
              .collect(
                  Collectors.toMap(
                      Repair::alert,
                      each -> Math.max(1, each.tries()),
                      Integer::sum,
                      TreeMap::new));
      return tries.entrySet().stream()
          .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
          .collect(
              Collectors.toMap(
                  Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one, LinkedHashMap::new));
    }
  }

  @Override
  protected int run(ClusterClient client) {
    return show(client, ApiPaths.HOSTS, () -> listing(client), () -> "No machine was repaired.");
  }

  private PrintedList listing(ClusterClient client) {
    Instant now = now();
    Map<String, List<RepairedMachine>> machines =
        client.hosts(labels()).stream()
            .map(host -> RepairedMachine.of(host, now.minus(within)))
            .collect(
                Collectors.groupingBy(
                    machine -> by.of(machine.place()), TreeMap::new, Collectors.toList()));
    List<Row> rows =
        machines.entrySet().stream()
            .map(each -> new Row(each.getKey(), each.getValue()))
            .filter(row -> row.total() > 0 || row.setAside() > 0)
            .sorted(Row.ORDER)
            .toList();
    return columns(now).list(by.word(), rows);
  }

  private Columns<Row> columns(Instant now) {
    Columns<Row> columns = new Columns<Row>(now).name(by.name(), Row::name);
    if (by == By.HOST) {
      columns
          .addIfAny("RACK", row -> row.first().rack())
          .addIfAny("SWITCH", row -> row.first().leaf())
          .addIfAny("POOL", row -> row.first().pool());
    } else if (isDocument()) {
      columns.add("HOSTS", row -> row.machines().size()).add("REPAIRED", Row::repaired);
    } else {
      columns.add("HOSTS", row -> "%d of %d".formatted(row.repaired(), row.machines().size()));
    }
    return columns
        .add("BOOTS", row -> row.total() - row.components())
        .add("FAILED", Row::failed)
        .add("COMPONENTS", Row::components)
        .add("SET-ASIDE", Row::setAside)
        .add("LAST", Row::last)
        .add("ALERTS", Row::alerts);
  }
}
