package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.plan.Action;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Releases of the virtual world's data centre, and configurations into which boots go wrong. */
class BrokenConfigurationTest {
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final String NEW =
      new ConfigurationContents("ncore-2", "6.8.0-71", "580.1", "v1.34.4").profile();

  private static FleetRelease release(String name) {
    return new FleetRelease.Parts(
        name,
        List.of(new FleetRelease.Image("ncore-" + name, "stable", List.of("6.8.0-71"))),
        List.of("580.1"),
        "v1.34.4");
  }

  private static List<String> offered(Drill drill) {
    return drill.world.cluster().offer().releases().stream().map(FleetRelease::name).toList();
  }

  @Test
  void releasesArePublishedByTheScheduleAndByTests() {
    DataCentre described = Drill.dataCentre();
    List<FleetRelease> releases = new ArrayList<>(described.terms().releases());
    releases.add(release("2"));
    DataCentre centre =
        described.withTerms(
            described
                .terms()
                .withReleases(releases)
                .withSchedule(new TreeMap<>(Map.of("2", Duration.ofHours(2)))));
    Drill drill = Drill.with(1, centre, Faults.NONE, OperatorOverrides.AS_BUILT);

    drill.advance(119, ChronoUnit.MINUTES);
    assertThat(offered(drill)).containsExactly("ncore-2.10.1");
    drill.advance(2, ChronoUnit.MINUTES);
    assertThat(offered(drill)).containsExactly("ncore-2.10.1", "2");
    drill.world.cluster().fleetOwner().publish(release("3"));
    drill.advance(5, ChronoUnit.HOURS);
    assertThat(offered(drill)).containsExactly("ncore-2.10.1", "2", "3");
  }

  @Test
  void aMachineHangsInABrokenConfigurationUntilATryAfterItIsMended() {
    Drill drill = Drill.calm(1);
    WorldCluster cluster = drill.world.cluster();
    drill.pool("a").target(3);
    drill.toRest();
    // Otherwise it may stage its own configuration before a machine begins.
    drill.world.operators().kill();
    cluster
        .fleetOwner()
        .breakConfigurations(
            new BrokenConfiguration("ncore-2", "", "", 2, RebootMishaps.Kind.HANG));
    List.copyOf(cluster.nodes().keySet()).forEach(name -> reboot(drill, name));
    drill.advance(LONG.toMinutes(), ChronoUnit.MINUTES);
    assertThat(booted(drill)).isEqualTo(1);

    cluster.fleetOwner().mendConfigurations();
    drill.advance(LONG.toMinutes(), ChronoUnit.MINUTES);
    assertThat(booted(drill)).isEqualTo(1);
    cluster.hosts().values().stream()
        .filter(host -> host.report().boot().cycle().isPresent())
        .map(host -> host.id().name())
        .toList()
        .forEach(name -> reboot(drill, name));
    drill.advance(LONG.toMinutes(), ChronoUnit.MINUTES);
    assertThat(booted(drill)).isEqualTo(3);
  }

  private static long booted(Drill drill) {
    return drill.world.cluster().hosts().values().stream()
        .filter(host -> host.report().bootedConfiguration().equals(NEW))
        .count();
  }

  /** Stages the configuration by hand and boots into it at once; the operator stages its own. */
  private static void reboot(Drill drill, String name) {
    Host host = host(drill, name);
    PoolId pool = host.assignment().orElseThrow().pool();
    perform(
        drill, new HostOperation.Stage(host.id(), host.tenancy(), pool, host.configuration(), NEW));
    BootRequest request =
        host.boot()
            .map(last ->
                last.again(last.from(), drill.world.instant(), BootRequest.Outcome.NOT_BOOTED))
            .orElseGet(() ->
                BootRequest.first(
                    host.report().bootId(),
                    BootKind.POWER_RESET,
                    "by-hand",
                    drill.world.instant(),
                    Optional.empty()));
    perform(drill, new HostOperation.Boot(host.id(), host.tenancy(), pool, request));
  }

  private static Host host(Drill drill, String name) {
    return drill.world.cluster().hosts().values().stream()
        .filter(host -> host.id().name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void perform(Drill drill, HostOperation operation) {
    assertThat(drill.world.cluster().apply(new Action.OnHost(operation), drill.world.instant()))
        .isInstanceOf(Answer.Done.class);
  }
}
