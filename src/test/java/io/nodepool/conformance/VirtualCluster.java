package io.nodepool.conformance;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.Next;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** A cluster in memory under virtual time, with the data centre's machines and perhaps a lie. */
final class VirtualCluster implements TestedCluster {
  /** All but one kind, so that there is one that is not offered. */
  static final FleetOffer.Capabilities CAPABILITIES =
      new FleetOffer.Capabilities(
          new TreeSet<>(
              List.of(BootKind.REBOOT, BootKind.POWER_RESET, BootKind.HOST_AND_DPU_RESET)),
          true,
          true);

  private static final Instant START = Instant.parse("2026-11-30T08:00:00Z");
  private static final int MOST_STEPS = 100_000;

  private final WorldCluster world;
  private final Recorder recorder = new Recorder(this::now);
  private final HonestFleet fleet;
  private final Lie lie;
  private Instant now = START;
  private int steps;

  /** Names of what a fleet leaves behind. */
  final SortedSet<String> left = new TreeSet<>();

  VirtualCluster(Lie lie) {
    DataCentre dataCentre = dataCentre();
    this.lie = lie;
    this.world = new WorldCluster(dataCentre, InstanceCatalogue.bundled(), this::now);
    this.fleet = new HonestFleet(dataCentre, CAPABILITIES, () -> world.hosts().values().stream());
    world.list(WorldCluster.Kind.HOSTS).forEach(recorder::observe);
    world.watch(recorder::observe, WorldCluster.Kind.HOSTS, WorldCluster.Kind.NODES);
  }

  private static DataCentre dataCentre() {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
        7,
        List.of(new DataCentre.Rack("1", "gd-8xh100ib-i128", 2)),
        new DataCentre.Terms(new TreeMap<>(), new TreeSet<>(), List.of(), new TreeMap<>()),
        new DataCentre.Timings(Duration.ofMinutes(2), Duration.ofMinutes(5), Duration.ofMinutes(1)),
        DataCentre.Mishaps.NONE);
  }

  /** Runs the script on both machines, and judges what happened. */
  ConformanceReport run(Duration rest) {
    List<String> names = List.copyOf(world.hosts().keySet());
    new OperatorScript(
            this,
            CAPABILITIES,
            List.of("image-1", "image-2"),
            names,
            new OperatorScript.Settings(2, Duration.ofMinutes(60), rest, true),
            _ -> {})
        .run();
    return ConformanceReport.of(
        recorder.history(new History.Offered(CAPABILITIES, Optional.empty())),
        names,
        Duration.between(START, now));
  }

  WorldCluster world() {
    return world;
  }

  HonestFleet fleet() {
    return fleet;
  }

  @Override
  public Recorder recorder() {
    return recorder;
  }

  @Override
  public Instant now() {
    return now;
  }

  /** Lets the fleet act, one write at a time; if nothing is to be done, time passes. */
  @Override
  public boolean await(BooleanSupplier condition, Duration atMost) {
    Instant end = now.plus(atMost);
    while (!condition.getAsBoolean()) {
      if (++steps > MOST_STEPS) {
        throw new IllegalStateException("the fleet does not come to rest");
      }
      List<Instant> wakeups = new ArrayList<>();
      boolean acted = false;
      for (Host host : List.copyOf(world.hosts().values())) {
        Next next = next(host.id().name());
        next.wakeup().ifPresent(wakeups::add);
        acted |= next.action().isPresent();
        next.action().ifPresent(action -> world.apply(action, now));
      }
      if (!acted) {
        Instant wakeup = wakeups.stream().min(Instant::compareTo).orElse(Instant.MAX);
        if (!wakeup.isBefore(end)) {
          now = end;
          return condition.getAsBoolean();
        }
        now = wakeup.isAfter(now) ? wakeup : now.plusSeconds(1);
      } else {
        now = now.plusMillis(100);
      }
    }
    return true;
  }

  private Next next(String name) {
    Host host = world.host(name).orElseThrow();
    Optional<Node> node = world.node(name);
    return lie.tell(this, host, node, fleet.next(host, node, now));
  }

  @Override
  public Answer<Host> perform(HostOperation operation) {
    return world
        .apply(new Action.OnHost(operation), now)
        .map(seen -> ((Observation.HostSeen) seen).host());
  }

  @Override
  public void delete(Node node) {
    world.apply(new Action.DeleteNode(node.name(), node.uid()), now);
  }

  @Override
  public SortedSet<String> belongings() {
    SortedSet<String> names = new TreeSet<>(left);
    names.addAll(world.nodes().keySet());
    return names;
  }

  @Override
  public void restart() {}
}
