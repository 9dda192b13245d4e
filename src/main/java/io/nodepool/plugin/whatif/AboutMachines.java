package io.nodepool.plugin.whatif;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.node.RebootOptions;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Question;
import io.nodepool.whatif.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Questions about Nodes and their machines. */
final class AboutMachines {
  private AboutMachines() {}

  /** A question about Nodes that are named. */
  abstract static class Nodes extends Asking {
    @Parameters(
        paramLabel = "NODE",
        arity = "1..*",
        converter = NameOf.OneNode.class,
        description = "Names of the Nodes.")
    private List<String> names = new ArrayList<>();

    abstract Question about(List<String> nodes);

    @Override
    final Question question(List<Observation> listed) {
      return about(nodes(listed, names));
    }
  }

  /** Cordons. */
  @Command(name = "cordon", description = "If Nodes were cordoned.")
  static final class Cordon extends Nodes {
    @Override
    Question about(List<String> nodes) {
      return new Question.Cordon(nodes);
    }
  }

  /** Drains. */
  @Command(name = "drain", description = "If Nodes were drained.")
  static final class DrainQuestion extends Nodes {
    @Override
    Question about(List<String> nodes) {
      return new Question.DrainOfNodes(nodes);
    }
  }

  /** Reboots. */
  @Command(name = "reboot", description = "If a reboot of Nodes were requested.")
  static final class Reboot extends Nodes {
    @Mixin private final RebootOptions options = new RebootOptions();

    @Option(names = "--force", description = "With --reconfigure: at once.")
    private boolean force;

    @Override
    protected void check() {
      options.mistake(force).ifPresent(why -> require(false, why));
    }

    @Override
    Question about(List<String> nodes) {
      return options.question(nodes, force);
    }
  }

  /** Notices of preemption. */
  @Command(name = "preempt", description = "If the fleet wanted machines of spot pools back.")
  static final class Preempt extends Nodes {
    @Override
    Question about(List<String> nodes) {
      return new Question.Preempt(nodes);
    }
  }

  /** An alert. */
  @Command(name = "repair", description = "If an alert about the machine of a Node were reported.")
  static final class Repair extends Asking {
    @Parameters(
        paramLabel = "NODE",
        converter = NameOf.OneNode.class,
        description = "Name of the Node.")
    private String node = "";

    @Option(
        names = "--alert",
        paramLabel = "ALERT",
        required = true,
        description = "Name of the alert in the catalogue.")
    private String alert = "";

    @Override
    Question question(List<Observation> listed) {
      if (catalogue(listed).find(alert).isEmpty()) {
        throw new CommandFailure("the catalogue has no alert " + alert);
      }
      return new Question.TrueAlert(nodes(listed, List.of(node)).getFirst(), alert);
    }

    private static AlertCatalogue catalogue(List<Observation> listed) {
      return listed.stream()
          .flatMap(each ->
              each instanceof Observation.CatalogueSeen(AlertCatalogue seen)
                  ? Stream.of(seen)
                  : Stream.empty())
          .findFirst()
          .orElseGet(AlertCatalogue::shipped);
    }
  }

  /** Power failures. */
  @Command(name = "lost", description = "If machines lost their power.")
  static final class Lost extends Asking {
    @Parameters(
        paramLabel = "NODE",
        arity = "0..*",
        converter = NameOf.OneNode.class,
        description = "Names of Nodes.")
    private List<String> names = new ArrayList<>();

    @Option(names = "--rack", paramLabel = "RACK", description = "The machines of a rack.")
    private Optional<String> rack = Optional.empty();

    @Option(
        names = "--switch",
        paramLabel = "SWITCH",
        description = "The machines at a group of leaf switches.")
    private Optional<String> leaf = Optional.empty();

    @Option(
        names = "--for",
        paramLabel = "DURATION",
        converter = OptionValues.OfDuration.class,
        description = "When their power returns. Default: it does not.")
    private Duration lasts = Duration.ofDays(365);

    @Override
    protected void check() {
      require(
          Stream.of(!names.isEmpty(), rack.isPresent(), leaf.isPresent())
                  .filter(Boolean::booleanValue)
                  .count()
              == 1,
          "name Nodes, or give --rack or --switch");
    }

    @Override
    Question question(List<Observation> listed) {
      List<String> hosts =
          names.isEmpty()
              ? Scope.hosts(listed)
                  .filter(host -> isIn(host.machine()))
                  .map(host -> host.id().name())
                  .toList()
              : nodes(listed, names);
      if (hosts.isEmpty()) {
        throw new CommandFailure(
            "no Host of %s can be read"
                .formatted(
                    rack.map(each -> "rack " + each)
                        .or(() -> leaf.map(each -> "switch " + each))
                        .orElseThrow()));
      }
      return new Question.Lost(hosts, lasts);
    }

    /** The further effects of the loss of one more machine. */
    @Override
    List<String> beside(ListedObjects listed, Question question, Forecast forecast, Instant now) {
      Set<String> lost = Set.copyOf(question.machineNames());
      Set<String> pools =
          Scope.hosts(listed.observations())
              .filter(host -> lost.contains(host.id().name()))
              .flatMap(host -> host.serving().map(PoolId::name).stream())
              .collect(Collectors.toCollection(TreeSet::new));
      return pools.stream()
          .flatMap(pool ->
              another(listed.observations(), pool, lost).stream()
                  .flatMap(host -> {
                    List<String> more = new ArrayList<>(question.machineNames());
                    more.add(host);
                    return ForecastText.fragile(
                        pool, host, forecast, listed.forecast(new Question.Lost(more, lasts), now))
                        .stream();
                  }))
          .toList();
    }

    /** A machine of the pool that runs and is not lost. */
    private static Optional<String> another(
        List<Observation> listed, String pool, Set<String> lost) {
      return Scope.hosts(listed)
          .filter(host -> host.serving().filter(of -> of.name().equals(pool)).isPresent())
          .filter(host -> host.is(HostPhase.RUNNING) && !lost.contains(host.id().name()))
          .map(host -> host.id().name())
          .min(Comparator.naturalOrder());
    }

    private boolean isIn(Machine machine) {
      return rack.map(
              each -> each.equals(machine.rack()) || each.equals(machine.location().rackName()))
          .or(() -> leaf.map(each -> each.equals(machine.interconnect().leafgroup().name())))
          .orElse(false);
    }
  }
}
