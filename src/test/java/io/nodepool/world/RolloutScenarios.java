package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.cluster.ApiOutages;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Scenarios in which a configuration is rolled out. The order in which Nodes have their turn is
 * determined; which of them have had it at a given moment is not, so those that are disturbed in
 * the middle agree in their ends.
 */
final class RolloutScenarios {
  private static final String SECOND = "ncore-2.11.0";
  private static final String THIRD = "ncore-2.12.0";

  private RolloutScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        plain(),
        onCommand(),
        canary(),
        unwatched(),
        evicting(),
        takenBack(),
        nextRelease(),
        stopped(),
        stoppedBesideRequest(),
        release(),
        rollback(),
        strategies(),
        shrinking(),
        growing(),
        preempted(),
        rebooted(),
        deleted(),
        machineLost(),
        replaced(),
        turn(),
        broken(),
        brokenOnThree(),
        disabledElsewhere(),
        failing());
  }

  private interface Play {
    void of(Drill drill, RolloutClient client);
  }

  private static Scenario scenario(String name, Agreement agreement, int nodes, Play play) {
    return new Scenario(
            name,
            drill -> {
              drill.pool("a").target(nodes).advance(90, MINUTES);
              play.of(drill, new RolloutClient(drill, "a"));
            })
        .agreeing(agreement);
  }

  private static Pod work(Drill drill, int node) {
    Node busy = drill.pool("a").nodes().get(node);
    return drill
        .world
        .cluster()
        .bindPod("default", "work-" + busy.name(), busy.name(), "ReplicaSet");
  }

  private static void ends(Drill drill, Pod pod) {
    drill.world.cluster().deletePod(pod.uid(), drill.world.instant());
  }

  /** Three Nodes, of which a busy one has its turn when its work ends. */
  private static Scenario plain() {
    return scenario(
        "rollout",
        Agreement.NAMES,
        3,
        (drill, client) -> {
          Pod pod = work(drill, 0);
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
          drill.advance(180, MINUTES);
          ends(drill, pod);
        });
  }

  private static Scenario onCommand() {
    return scenario(
        "rollout on command",
        Agreement.NAMES,
        3,
        (drill, client) -> {
          client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
          client.most(2);
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
        });
  }

  private static Scenario canary() {
    return scenario(
        "rollout with a canary",
        Agreement.NAMES,
        3,
        (drill, client) -> {
          client.settings(last -> last.withCanary(1, Duration.ofMinutes(30)));
          client.most(3);
          client.rollOut(SECOND);
        });
  }

  /** No operator runs for longer than the soak, in the middle of it. */
  private static Scenario unwatched() {
    return scenario(
        "soak without an operator",
        Agreement.NAMES,
        3,
        (drill, client) -> {
          client.settings(last -> last.withCanary(1, Duration.ofMinutes(30)));
          client.most(3);
          client.rollOut(SECOND);
          drill.advance(20, MINUTES);
          drill.world.operators().kill();
          drill.advance(60, MINUTES);
          drill.world.operators().start();
        });
  }

  private static Scenario evicting() {
    return scenario(
        "rollout that evicts",
        Agreement.NAMES,
        2,
        (drill, client) -> {
          drill.world.cluster().workloads().guard(work(drill, 0).uid());
          client.settings(last -> last.withEvict(true));
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
        });
  }

  /** The eviction is taken back while the first one of two busy Nodes boots. */
  private static Scenario takenBack() {
    return scenario(
        "eviction taken back",
        Agreement.END,
        2,
        (drill, client) -> {
          work(drill, 0);
          work(drill, 1);
          client.settings(last -> last.withEvict(true));
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
          for (int i = 0; i < 600 && drill.world.cluster().powerCyclesInto().isEmpty(); i++) {
            drill.advance(1, SECONDS);
          }
          client.settings(last -> last.withEvict(false));
          drill.advance(120, MINUTES);
          drill.world.cluster().pods().keySet().stream()
              .toList()
              .forEach(uid -> drill.world.cluster().deletePod(uid, drill.world.instant()));
        });
  }

  /** What becomes active after a rollout is complete waits for the next one. */
  private static Scenario nextRelease() {
    return scenario(
        "release after a rollout",
        Agreement.NAMES,
        2,
        (drill, client) -> {
          client.settings(last -> last.withEvict(true));
          client.rollOut(SECOND);
          drill.advance(180, MINUTES);
          work(drill, 0);
          drill.advance(1, MINUTES);
          client.release(THIRD);
          drill.advance(1, MINUTES);
          client.promote();
        });
  }

  private static Scenario stopped() {
    return scenario(
        "rollout stopped and started",
        Agreement.END,
        3,
        (drill, client) -> {
          client.rollOut(SECOND);
          drill.advance(20, SECONDS);
          client.stop();
          drill.advance(60, MINUTES);
          client.start();
        });
  }

  /**
   * A client's safe request joins the turn of a busy Node, which is drained up to a budget; then
   * the rollout is stopped, and the request waits for the end of the work.
   */
  private static Scenario stoppedBesideRequest() {
    return scenario(
        "rollout that evicts stopped beside a safe request",
        Agreement.END,
        1,
        (drill, client) -> {
          Pod pod = work(drill, 0);
          drill.world.cluster().workloads().guard(pod.uid());
          client.settings(last -> last.withEvict(true));
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
          for (int i = 0;
              i < 600 && drill.pool("a").nodes().stream().noneMatch(Node::cordoned);
              i++) {
            drill.advance(1, SECONDS);
          }
          String node = drill.pool("a").nodes().getFirst().name();
          new RebootClient(drill).request(node, LifecycleState.RECONFIGURE);
          drill.advance(1, MINUTES);
          client.stop();
          drill.advance(45, MINUTES);
          ends(drill, pod);
        });
  }

  private static Scenario release() {
    return scenario(
        "release during a rollout",
        Agreement.END,
        3,
        (drill, client) -> {
          client.strategy(UpdateStrategy.ALWAYS);
          drill.advance(1, MINUTES);
          client.release(SECOND);
          drill.advance(1, MINUTES);
          client.start();
          drill.advance(25, MINUTES);
          client.release(THIRD);
        });
  }

  private static Scenario rollback() {
    return scenario(
        "rollback during a rollout",
        Agreement.END,
        3,
        (drill, client) -> {
          client.rollOut(SECOND);
          drill.advance(25, MINUTES);
          client.rollback();
        });
  }

  private static Scenario strategies() {
    return scenario(
        "strategies switched during a rollout",
        Agreement.END,
        3,
        (drill, client) -> {
          client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
          drill.advance(15, MINUTES);
          client.strategy(UpdateStrategy.MANUAL);
          drill.advance(15, MINUTES);
          client.strategy(UpdateStrategy.ALWAYS);
        });
  }

  private static Scenario shrinking() {
    return scenario(
        "scale-down during a rollout",
        Agreement.END,
        4,
        (drill, client) -> {
          client.most(2);
          client.rollOut(SECOND);
          drill.advance(70, SECONDS).pool("a").target(2);
        });
  }

  private static Scenario growing() {
    return scenario(
        "growth during a rollout",
        Agreement.END,
        2,
        (drill, client) -> {
          client.rollOut(SECOND);
          drill.advance(5, SECONDS).pool("a").target(4);
        });
  }

  private static Scenario preempted() {
    return new Scenario(
            "preemption during a rollout",
            drill -> {
              PreemptionScenarios.grownOnAll(drill, 3);
              RolloutClient client = new RolloutClient(drill, "a");
              String waits = drill.pool("a").nodes().get(2).name();
              String rolls = drill.pool("a").nodes().get(0).name();
              client.rollOut(SECOND);
              drill.advance(3, SECONDS);
              drill.reclaim(waits).reclaim(rolls).advance(20, MINUTES);
              drill.withdraw(waits).withdraw(rolls);
            })
        .agreeing(Agreement.END);
  }

  /** A client reboots Nodes before and at their turn. */
  private static Scenario rebooted() {
    return scenario(
        "reboot during a rollout",
        Agreement.END,
        3,
        (drill, client) -> {
          RebootClient reboots = new RebootClient(drill);
          String before = drill.pool("a").nodes().get(2).name();
          reboots.request(before, LifecycleState.REBOOT);
          // Whether its turn joins this reboot must not be chance.
          reboots.untilBooting(before);
          client.rollOut(SECOND);
          drill.advance(2, SECONDS);
          reboots.request(drill.pool("a").nodes().get(0).name(), LifecycleState.RECONFIGURE);
        });
  }

  private static Scenario deleted() {
    return scenario(
        "pool deleted during a rollout",
        Agreement.END,
        3,
        (drill, client) -> {
          client.most(2);
          client.rollOut(SECOND);
          // Which machines boot before the operator observes the deletion must not be chance.
          for (int i = 0; i < 600 && rebooted(drill) < 2; i++) {
            drill.advance(1, SECONDS);
          }
          drill.pool("a").delete();
        });
  }

  private static int rebooted(Drill drill) {
    return drill.world.cluster().powerCyclesInto().values().stream().mapToInt(Map::size).sum();
  }

  /** The machine of a Node is lost between its cordon for the rollout and its reboot. */
  private static Scenario machineLost() {
    return scenario(
        "machine lost at its turn",
        Agreement.END,
        2,
        (drill, client) -> {
          client.rollOut(SECOND);
          for (int i = 0;
              i < 6000 && drill.pool("a").nodes().stream().noneMatch(Node::cordoned);
              i++) {
            drill.advance(100, MILLIS);
          }
          Node turn =
              drill.pool("a").nodes().stream().filter(Node::cordoned).findFirst().orElseThrow();
          Pod late = drill.world.cluster().bindPod("default", "late", turn.name(), "ReplicaSet");
          drill.world.cluster().fleetOwner().delete(turn.name());
          drill.advance(180, MINUTES);
          ends(drill, late);
        });
  }

  /**
   * Two machines do not come back from their turn, and no other one is free, until fewer are
   * wanted.
   */
  private static Scenario replaced() {
    return scenario(
        "machines that no other one replaces",
        Agreement.END,
        5,
        (drill, client) -> {
          drill.world.cluster().hosts().values().stream()
              .filter(Host::isFree)
              .map(host -> host.id().name())
              .toList()
              .forEach(host -> drill.world.cluster().fleetOwner().setAside(host, "on loan"));
          drill.pool("a").nodes().stream()
              .limit(2)
              .forEach(node ->
                  drill
                      .world
                      .cluster()
                      .fleetOwner()
                      .reboot(node.name(), 0, RebootMishaps.Kind.FAIL));
          client.most(2);
          client.rollOut(SECOND);
          drill.advance(8, HOURS);
          drill.pool("a").target(3);
        });
  }

  /** A Node that a client reboots before its turn boots what it booted before. */
  private static Scenario turn() {
    return scenario(
        "reboot before its turn",
        Agreement.NAMES,
        3,
        (drill, client) -> {
          client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
          drill.advance(1, MINUTES);
          client.release(SECOND);
          drill.advance(1, MINUTES);
          client.promote();
          drill.advance(1, MINUTES);
          RebootClient reboots = new RebootClient(drill);
          reboots.request(drill.pool("a").nodes().get(1).name(), LifecycleState.REBOOT);
        });
  }

  /** No machine boots the new configuration: the rollout pauses. */
  private static Scenario broken() {
    return scenario(
        "configuration that does not boot",
        Agreement.END,
        4,
        (drill, client) -> {
          client.rollOutBroken("2", 1);
          drill.advance(10, HOURS);
        });
  }

  /** No machine boots the new configuration, which three try at once. */
  private static Scenario brokenOnThree() {
    return scenario(
        "configuration that does not boot on three machines",
        Agreement.END,
        5,
        (drill, client) -> {
          client.most(3);
          client.rollOutBroken("2", 1);
          drill.advance(10, HOURS);
          client.rollback();
        });
  }

  /** Another pool at its target, and a new one, do not choose what is disabled in the first. */
  private static Scenario disabledElsewhere() {
    return scenario(
        "configuration that is disabled in another pool",
        Agreement.END,
        3,
        (drill, client) -> {
          drill.pool("b").target(1).advance(90, MINUTES);
          client.most(3);
          client.rollOutBroken("2", 1);
          drill.advance(10, HOURS);
          drill.pool("c").target(1).advance(90, MINUTES);
        });
  }

  /**
   * Machines fail in the new configuration: their Hosts are set aside until it is disabled. No
   * others are free, so as many may be unavailable as have to fail, and the first failure cannot be
   * published for some time.
   */
  private static Scenario failing() {
    return scenario(
        "configuration in which machines fail",
        Agreement.END,
        5,
        (drill, client) -> {
          drill.world.cluster().hosts().values().stream()
              .filter(Host::isFree)
              .map(host -> host.id().name())
              .toList()
              .forEach(host -> drill.world.cluster().fleetOwner().setAside(host, "on loan"));
          client.most(3);
          client.rollOutBroken("2", 1, RebootMishaps.Kind.FAIL);
          drill.advance(5, MINUTES);
          drill
              .world
              .apiOutages()
              .refuse(
                  Action.PublishStatus.class::isInstance,
                  ApiOutages.Refusal.FORBIDDEN,
                  Duration.ofHours(1));
          drill.advance(4, HOURS);
          client.rollback();
        });
  }
}
