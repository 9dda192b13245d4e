package io.nodepool.world;

import static io.nodepool.world.HardScenarios.idleOnly;
import static io.nodepool.world.HardScenarios.node;
import static io.nodepool.world.HardScenarios.work;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Host.PowerReading.State;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldFleetAdmin;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Scenarios in which a fleet does not know its machines, or their owner works on them. */
final class PowerScenarios {
  private PowerScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(fenced(), fencedOnce(), foundOff(), outOfDate(), maintenance(), whileBooting());
  }

  private static Scenario scenario(String name, RebootScenarios.Play play) {
    return RebootScenarios.scenario(name, play).agreeing(Agreement.END);
  }

  private static WorldFleetAdmin owner(Drill drill) {
    return drill.world.cluster().fleetOwner();
  }

  private static void power(Drill drill, String host, State state) {
    owner(drill)
        .power(host, Optional.of(new Host.PowerReading(state, drill.world.instant())));
  }

  /** The machine fails, and its controller with it. */
  private static void failsUnseen(Drill drill, String host) {
    power(drill, host, State.UNKNOWN);
    owner(drill).report(host, HostPhase.FAILED, drill.world.instant());
  }

  /** The machine is sound again, and its fleet says no more of its power. */
  private static void recovers(Drill drill, String host) {
    owner(drill).power(host, Optional.empty());
    owner(drill).report(host, HostPhase.CLEANING, drill.world.instant());
  }

  /** A machine fails of which nobody knows whether it runs; its work ends only with its Node. */
  private static Scenario fenced() {
    return scenario(
        "failed, power unknown",
        (drill, _) -> {
          String host = node(idleOnly(drill, 2), 0);
          Pod pod = work(drill, 0, "train");
          failsUnseen(drill, host);
          drill.advance(2, HOURS);
          drill.world.cluster().deletePod(pod.uid(), drill.world.instant());
          drill.advance(2, HOURS);
          owner(drill).fence(host);
          drill.advance(1, HOURS);
          recovers(drill, host);
        });
  }

  /** What a person said of one failure says nothing of the next one. */
  private static Scenario fencedOnce() {
    return scenario(
        "fenced once, failed twice",
        (drill, _) -> {
          String host = node(idleOnly(drill, 10), 0);
          failsUnseen(drill, host);
          drill.advance(2, HOURS);
          owner(drill).fence(host);
          drill.advance(1, HOURS);
          recovers(drill, host);
          drill.advance(2, HOURS);
          failsUnseen(drill, host);
          drill.advance(3, HOURS);
          power(drill, host, State.OFF);
          drill.advance(10, MINUTES);
          recovers(drill, host);
        });
  }

  /** A machine of unknown power is found to be off. */
  private static Scenario foundOff() {
    return scenario(
        "failed, found off",
        (drill, _) -> {
          String host = node(idleOnly(drill, 2), 0);
          failsUnseen(drill, host);
          drill.advance(3, HOURS);
          power(drill, host, State.OFF);
          drill.advance(20, MINUTES);
          recovers(drill, host);
        });
  }

  /** A fleet falls silent about power while pools want machines and boots. */
  private static Scenario outOfDate() {
    return scenario(
        "power out of date",
        (drill, client) -> {
          String host = node(idleOnly(drill, 2), 0);
          List<String> all = List.copyOf(drill.world.cluster().hosts().keySet());
          all.forEach(each -> power(drill, each, State.ON));
          drill.advance(40, MINUTES);
          client.request(host, LifecycleState.REBOOT);
          drill.pool("a").target(4).advance(2, HOURS);
          all.forEach(each -> owner(drill).power(each, Optional.empty()));
        });
  }

  /** The owner works on a machine that is to be rebooted, and on the free ones. */
  private static Scenario maintenance() {
    return scenario(
        "maintenance",
        (drill, client) -> {
          String host = node(idleOnly(drill, 2), 0);
          List<String> all = List.copyOf(drill.world.cluster().hosts().keySet());
          all.forEach(each -> owner(drill).maintenance(each, true));
          client.request(host, LifecycleState.REBOOT);
          drill.pool("a").target(4).advance(3, HOURS);
          all.forEach(each -> owner(drill).maintenance(each, false));
        });
  }

  /** The power of a machine cannot be read while it boots on request. */
  private static Scenario whileBooting() {
    return scenario(
        "power unknown during a boot",
        (drill, client) -> {
          String host = node(idleOnly(drill, 2), 0);
          owner(drill)
              .nextReboot(host, RebootMishaps.Kind.HANG);
          client.request(host, LifecycleState.REBOOT);
          drill.advance(5, MINUTES);
          power(drill, host, State.UNKNOWN);
          drill.advance(4, HOURS);
          owner(drill).power(host, Optional.empty());
        });
  }
}
