package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.MachineFault;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldSignals;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Scenarios in which machines are repaired. A monitor takes its alert back once the machine was
 * booted or is out, as a real one would.
 */
final class RepairScenarios {
  static final String OUT_NOW = "GPUFallenOffBus";
  static final String OUT_WHEN_IDLE = "NodeGPUNVLinkDown";
  private static final String REBOOT_NOW = "GPUTimeoutError";
  static final String REBOOT_WHEN_IDLE = "KernelDeadlock";
  private static final String RESET = "DPUUnexpectedPuntedRoutes";

  /** Those for which a component is repaired. */
  private static final List<String> OF_DPU =
      List.of(
          "DPURouteCountMismatch",
          "DPUContainerdThreadExhaustion",
          "DPUContainerdThreadExhaustionCPX");

  private static final Duration DAY = Duration.ofDays(1);

  private RepairScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        out(),
        reboot(),
        protectedWork(),
        takenBack(),
        many(),
        withReboot(),
        stillStanding(),
        falseAlarm(),
        genuine(),
        healed(),
        job(),
        vanishing(),
        stopped(),
        components(),
        rack(),
        preserved(),
        unwatched(),
        deadMonitor(),
        endedDuringDrain(),
        requestedMeanwhile(),
        verifiedByUser(),
        grades());
  }

  /**
   * A monitor reports a fault of a busy machine and dies; a day later its work ends, and a person
   * takes the alert back.
   */
  private static Scenario deadMonitor() {
    return scenario(
        "a monitor that dies",
        2,
        (drill, signals) -> {
          String host = node(drill, 0);
          Pod pod = work(drill, host);
          report(drill, signals, host, OUT_WHEN_IDLE);
          drill.advance(1, MINUTES);
          signals.die(key(OUT_WHEN_IDLE).source());
          drill.advance(13, HOURS);
          drill.world.cluster().workloads().finish(pod.uid());
          drill.advance(1, HOURS);
          signals.withdraw(host, key(OUT_WHEN_IDLE));
        });
  }

  interface Play {
    void of(Drill drill, WorldSignals signals);
  }

  static Scenario scenario(String name, int size, Play play) {
    return new Scenario(name, playing(size, play)).agreeing(Agreement.END);
  }

  /** A pool of this size, with which something is played. */
  static Consumer<Drill> playing(int size, Play play) {
    return drill -> {
      drill.pool("a").target(size).advance(90, MINUTES);
      play.of(drill, drill.world.cluster().signals());
    };
  }

  private static String node(Drill drill, int place) {
    return drill.pool("a").nodes().get(place).name();
  }

  static List<String> names(Drill drill, String pool) {
    return drill.pool(pool).nodes().stream().map(Node::name).toList();
  }

  /** The pool allows that the work of faulty Nodes is ended. */
  static void evicting(Drill drill) {
    drill
        .pool("a")
        .edit(spec -> spec.withLifecycle(spec.lifecycle().withDisableUnhealthyNodeEviction(false)));
  }

  static SignalKey key(String alert) {
    return new SignalKey("dcgm", "host", alert);
  }

  static void report(Drill drill, WorldSignals signals, String host, String alert) {
    signals.report(host, Signal.standing(key(alert), drill.world.instant()));
  }

  static Pod work(Drill drill, String node) {
    return drill.world.cluster().bindPod("default", "train-" + node, node, "ReplicaSet");
  }

  /** One machine is taken out at once under its work, another one once it is idle. */
  private static Scenario out() {
    return scenario(
        "machines taken out of service",
        3,
        (drill, signals) -> {
          String busy = node(drill, 0);
          String idle = node(drill, 1);
          work(drill, busy);
          drill.advance(5, MINUTES);
          report(drill, signals, busy, OUT_NOW);
          report(drill, signals, idle, OUT_WHEN_IDLE);
        });
  }

  /** A reboot ends the alert of one machine; that of another one stays until it is out. */
  private static Scenario reboot() {
    return scenario(
        "machines booted for repair",
        3,
        (drill, signals) -> {
          String healed = node(drill, 0);
          String broken = node(drill, 1);
          work(drill, healed);
          drill.advance(5, MINUTES);
          report(drill, signals, healed, REBOOT_NOW);
          drill.advance(20, MINUTES);
          signals.withdraw(healed, key(REBOOT_NOW));
          report(drill, signals, broken, RESET);
          drill.advance(6, HOURS);
        });
  }

  /** Nobody watches for longer than the ten minutes after which repairs are held. */
  private static Scenario unwatched() {
    return scenario(
        "a fault while no operator runs",
        2,
        (drill, signals) -> {
          drill.world.operators().kill();
          report(drill, signals, node(drill, 0), REBOOT_NOW);
          drill.advance(15, MINUTES);
          drill.world.operators().start();
          drill.advance(20, MINUTES);
          signals.withdraw(node(drill, 0), key(REBOOT_NOW));
        });
  }

  /** Of two faulty machines one is kept for inspection, until the pool's user has seen enough. */
  private static Scenario preserved() {
    return scenario(
        "a machine kept for inspection",
        3,
        (drill, signals) -> {
          preserve(drill, "true");
          report(drill, signals, node(drill, 0), OUT_NOW);
          drill.advance(2, HOURS);
          report(drill, signals, node(drill, 1), OUT_NOW);
          drill.advance(2, HOURS);
          preserve(drill, "");
        });
  }

  private static void preserve(Drill drill, String value) {
    drill
        .pool("a")
        .edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withPreserve(value)));
  }

  /** Work that its pool protects keeps the Node until the pool allows that it ends. */
  private static Scenario protectedWork() {
    return scenario(
        "a repair that waits for work",
        2,
        (drill, signals) -> {
          String busy = node(drill, 0);
          work(drill, busy);
          drill.advance(5, MINUTES);
          report(drill, signals, busy, OUT_WHEN_IDLE);
          drill.advance(60, MINUTES);
          evicting(drill);
        });
  }

  /** An alert ends while its Node waits; another pool's user only observes. */
  private static Scenario takenBack() {
    return scenario(
        "a repair that is taken back",
        2,
        (drill, signals) -> {
          String busy = node(drill, 0);
          Pod pod = work(drill, busy);
          drill.advance(5, MINUTES);
          report(drill, signals, busy, OUT_WHEN_IDLE);
          drill.advance(10, MINUTES);
          signals.withdraw(busy, key(OUT_WHEN_IDLE));
          drill.advance(3, MINUTES);
          drill.world.cluster().workloads().finish(pod.uid());
          drill.advance(12, MINUTES);
          drill
              .pool("a")
              .edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode("observe")));
          report(drill, signals, node(drill, 1), OUT_NOW);
        });
  }

  /** More alerts than a pool repairs at once, of several names. */
  private static Scenario many() {
    return scenario(
        "more repairs than the limits allow",
        6,
        (drill, signals) -> {
          report(drill, signals, node(drill, 0), OUT_WHEN_IDLE);
          report(drill, signals, node(drill, 1), OUT_NOW);
          report(drill, signals, node(drill, 2), "NodeRepeatUCE");
          report(drill, signals, node(drill, 3), "UnknownNVMLErrorOnContainerStart");
          drill.advance(4, HOURS);
        });
  }

  /** A client asks for a reboot, and an alert comes that takes the machine out. */
  private static Scenario withReboot() {
    return scenario(
        "a repair beside a requested reboot",
        2,
        (drill, signals) -> {
          String host = node(drill, 0);
          work(drill, host);
          drill.advance(5, MINUTES);
          new RebootClient(drill).request(host, LifecycleState.RECONFIGURE);
          drill.advance(5, MINUTES);
          report(drill, signals, host, OUT_NOW);
        });
  }

  /** A monitor that is wrong reports an alert about all machines, and takes it back. */
  private static Scenario falseAlarm() {
    return scenario(
        "a monitor that is wrong",
        6,
        (drill, signals) -> {
          List<String> hosts = names(drill, "a");
          hosts.forEach(host -> report(drill, signals, host, OUT_NOW));
          drill.advance(1, HOURS);
          // Another one is right about one of them.
          report(drill, signals, hosts.getFirst(), REBOOT_NOW);
          drill.advance(15, MINUTES);
          signals.withdraw(hosts.getFirst(), key(REBOOT_NOW));
          drill.advance(1, HOURS);
          hosts.forEach(host -> signals.withdraw(host, key(OUT_NOW)));
          // The first ones may be gone before an operator knows of the others.
          drill.world.cluster().hosts().values().stream()
              .filter(host -> host.deliveries().isSetAside())
              .limit(2)
              .toList()
              .forEach(host -> drill.world.cluster().fleetOwner().setAside(host.id().name(), ""));
        });
  }

  /** A monitor is right about nearly all machines, as the verification of some shows. */
  private static Scenario genuine() {
    return scenario(
        "an alert that a verification confirms",
        6,
        (drill, signals) -> {
          List<String> hosts = names(drill, "a");
          hosts.forEach(host ->
              drill
                  .world
                  .cluster()
                  .fleetOwner()
                  .reboot(host, 0, RebootMishaps.Kind.VERIFICATION_FAILURE));
          hosts.stream().skip(1).forEach(host -> report(drill, signals, host, OUT_WHEN_IDLE));
          drill.advance(12, HOURS);
        });
  }

  /** All machines have a fault that a boot heals, as the verification of some shows. */
  private static Scenario healed() {
    DataCentre machines = Drill.racks(Drill.GPU, 1, 6);
    MachineFault fault =
        new MachineFault(
            new TreeSet<>(),
            new MachineFault.Part(REBOOT_WHEN_IDLE, "gpu3"),
            new MachineFault.Begin.After(Duration.ofHours(2)),
            MachineFault.Course.STANDS,
            MachineFault.Healing.REBOOT);
    return new Scenario(
        "a suspected alert of machines that boots heal",
        machines.withMishaps(DataCentre.Mishaps.NONE.withFaults(List.of(fault))),
        Agreement.END,
        drill -> drill.pool("a").target(6).advance(14, HOURS));
  }

  /** A repaired machine has to pass a Job, which fails once. */
  private static Scenario job() {
    return scenario(
        "a repaired machine that a Job verifies",
        3,
        (drill, signals) -> {
          String host = node(drill, 0);
          drill.world.cluster().jobs().addTemplate("check");
          drill.world.cluster().jobs().letFail(host, 1);
          drill.pool("a").edit(spec -> spec.withRepair(spec.repair().withVerificationJob("check")));
          report(drill, signals, host, REBOOT_WHEN_IDLE);
          drill.advance(5, MINUTES);
          signals.withdraw(host, key(REBOOT_WHEN_IDLE));
          drill.advance(6, HOURS);
        });
  }

  /** Such a Job is deleted each time when it ends, for some hours. */
  private static Scenario vanishing() {
    return scenario(
        "a repaired machine whose Job is deleted",
        3,
        (drill, signals) -> {
          String host = node(drill, 0);
          drill.world.cluster().jobs().addTemplate("check");
          drill.world.cluster().jobs().letVanish(host, true);
          drill.pool("a").edit(spec -> spec.withRepair(spec.repair().withVerificationJob("check")));
          report(drill, signals, host, REBOOT_WHEN_IDLE);
          drill.advance(5, MINUTES);
          signals.withdraw(host, key(REBOOT_WHEN_IDLE));
          drill.advance(3, HOURS);
          drill.world.cluster().jobs().letVanish(host, false);
          drill.advance(6, HOURS);
        });
  }

  /** Most machines of a pool stop, and none comes back. */
  private static Scenario stopped() {
    return scenario(
        "machines that stop together",
        6,
        (drill, _) -> {
          drill.pool("a").nodes().stream()
              .skip(1)
              .forEach(node -> drill.world.actors().trip(node.name(), WorldActors.FOR_GOOD));
          drill.advance(6, HOURS);
        });
  }

  /** A component of one machine is repaired under its work; those of others stay as they are. */
  private static Scenario components() {
    return scenario(
        "repairs of components",
        9,
        (drill, signals) -> {
          String healed = node(drill, 0);
          work(drill, healed);
          drill.advance(5, MINUTES);
          OF_DPU.forEach(alert -> {
            for (int i = 0; i < 3; i++) {
              report(drill, signals, node(drill, i), alert);
            }
          });
          drill.advance(5, MINUTES);
          OF_DPU.forEach(alert -> signals.withdraw(healed, key(alert)));
          drill.advance(6, HOURS);
        });
  }

  /**
   * Three machines of a rack are reset one by one; then half of the rack is booted together for one
   * alert, but for a busy Node, which follows.
   */
  private static Scenario rack() {
    return new Scenario(
        "a rack that is repaired together",
        Drill.racks("gb200-4x", 1, 18),
        Agreement.END,
        drill -> {
          WorldSignals signals = drill.world.cluster().signals();
          drill
              .pool("a")
              .racks("gb200-4x", 1)
              .advance(3, HOURS)
              .pool("a")
              .edit(spec ->
                  spec.withRepair(
                      spec.repair()
                          .withSuspects(
                              ReleasedSuspects.read(
                                  REBOOT_WHEN_IDLE + "/" + drill.world.instant().plus(DAY)))));
          List<String> names = names(drill, "a");
          List<String> few = names.subList(0, 3);
          few.forEach(name -> report(drill, signals, name, RESET));
          drill.advance(20, MINUTES);
          few.forEach(name -> signals.withdraw(name, key(RESET)));
          drill.advance(3, HOURS);
          List<String> half = names.subList(4, 13);
          Pod pod = work(drill, half.getFirst());
          drill.advance(1, MINUTES);
          half.forEach(name -> report(drill, signals, name, REBOOT_WHEN_IDLE));
          drill.advance(20, MINUTES);
          half.stream().skip(1).forEach(name -> signals.withdraw(name, key(REBOOT_WHEN_IDLE)));
          drill.world.cluster().workloads().finish(pod.uid());
          drill.advance(20, MINUTES);
          signals.withdraw(half.getFirst(), key(REBOOT_WHEN_IDLE));
        });
  }

  /** Work that may be ended is drained for an alert that ends before the deadline. */
  private static Scenario endedDuringDrain() {
    return scenario(
        "an alert that ends during its drain",
        1,
        (drill, signals) -> {
          String host = node(drill, 0);
          evicting(drill);
          drill.world.cluster().workloads().guard(work(drill, host).uid());
          drill.advance(1, MINUTES);
          report(drill, signals, host, OUT_WHEN_IDLE);
          drill.advance(10, MINUTES);
          signals.withdraw(host, key(OUT_WHEN_IDLE));
          drill.advance(2, HOURS);
        });
  }

  /** A client asks for a reboot of a machine that boots for its repair. */
  private static Scenario requestedMeanwhile() {
    return scenario(
        "a request while the machine boots for its repair",
        1,
        (drill, signals) -> {
          String host = node(drill, 0);
          report(drill, signals, host, REBOOT_NOW);
          drill.advance(3, MINUTES);
          new RebootClient(drill).request(host, LifecycleState.REBOOT);
          drill.advance(6, MINUTES);
          signals.withdraw(host, key(REBOOT_NOW));
          drill.advance(2, HOURS);
        });
  }

  /**
   * A user verifies the only machine of a suspected alert that is idle, and cordoned until then.
   */
  private static Scenario verifiedByUser() {
    return scenario(
        "a user's verification beside a monitor that is wrong",
        6,
        (drill, signals) -> {
          List<String> hosts = names(drill, "a");
          String asked = hosts.getFirst();
          drill.world.cluster().nodeClients().cordon(asked, true);
          hosts.stream().skip(1).forEach(host -> work(drill, host));
          drill.advance(1, MINUTES);
          hosts.forEach(host -> report(drill, signals, host, OUT_WHEN_IDLE));
          drill.advance(10, SECONDS);
          new RebootClient(drill).request(asked, LifecycleState.VERIFICATION);
          drill.advance(20, MINUTES);
          drill.world.cluster().nodeClients().cordon(asked, false);
          drill.advance(1, HOURS);
          hosts.forEach(host -> signals.withdraw(host, key(OUT_WHEN_IDLE)));
        });
  }

  /** Two alerts about one busy machine: the one that may interrupt its work is the later one. */
  private static Scenario grades() {
    return scenario(
        "two alerts about one busy machine",
        3,
        (drill, signals) -> {
          String older = node(drill, 0);
          String both = node(drill, 1);
          work(drill, older);
          work(drill, both);
          drill.advance(1, MINUTES);
          report(drill, signals, older, RESET);
          drill.advance(3, HOURS);
          report(drill, signals, older, OUT_NOW);
          report(drill, signals, both, OUT_WHEN_IDLE);
          drill.advance(1, MINUTES);
          report(drill, signals, both, REBOOT_NOW);
          // The first machine is verified before it goes.
          drill.advance(30, MINUTES);
          signals.withdraw(both, key(REBOOT_NOW));
          drill.advance(4, HOURS);
        });
  }

  /** An alert outlives the boot for its repair, and its monitor says so only later. */
  private static Scenario stillStanding() {
    return scenario(
        "an alert that outlives its repair",
        1,
        (drill, signals) -> {
          String host = node(drill, 0);
          report(drill, signals, host, REBOOT_NOW);
          drill.advance(40, MINUTES);
          work(drill, host);
          drill.advance(5, HOURS);
        });
  }
}
