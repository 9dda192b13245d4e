package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import java.util.stream.Stream;

/**
 * Scenarios in which half of the record of a pool's configurations is lost or copied, or a command
 * overtakes what waits.
 */
final class RecordLossScenarios {
  private static final String SECOND = "ncore-2.11.0";
  private static final String THIRD = "ncore-2.12.0";

  private RecordLossScenarios() {}

  static Stream<Scenario> all() {
    return Stream.of(
        statusLost(), recordLost(), copied(), bothCopied(), stoppedAtABudget(), overtaken());
  }

  private interface Play {
    void of(Drill drill, RolloutClient client);
  }

  private static Scenario scenario(String name, int nodes, Play play) {
    return new Scenario(
            name,
            drill -> {
              drill.pool("a").target(nodes).advance(90, MINUTES);
              play.of(drill, new RolloutClient(drill, "a"));
            })
        .agreeing(Agreement.END);
  }

  /** What most Nodes booted is active, and nothing is rebooted until a user starts a rollout. */
  private static Scenario statusLost() {
    return scenario(
        "status lost during a rollout",
        3,
        (drill, client) -> {
          client.rollOut(SECOND);
          drill.advance(10, MINUTES);
          client.release(THIRD);
          drill.advance(1, MINUTES);
          client.loseStatus();
          drill.advance(120, MINUTES);
          client.promote();
          drill.advance(1, MINUTES);
          client.start();
        });
  }

  private static Scenario recordLost() {
    return scenario(
        "record of a command lost during a rollout",
        3,
        (drill, client) -> {
          client.rollOut(SECOND);
          drill.advance(10, MINUTES);
          client.loseRecord();
          drill.advance(1, MINUTES);
          client.stop();
          drill.advance(60, MINUTES);
          client.start();
        });
  }

  /** A rollout runs in one pool, and its status is written over that of another one. */
  private static Scenario copied() {
    return scenario(
        "status copied to another pool",
        2,
        (drill, client) -> {
          drill.pool("b").target(Drill.CPU, 2).advance(90, MINUTES);
          client.rollOut(SECOND);
          drill.advance(2, MINUTES);
          new RolloutClient(drill, "b").copyStatusOf("a");
        });
  }

  /** The same with its annotations, of which the record of the last command is void. */
  private static Scenario bothCopied() {
    return scenario(
        "status and record copied to another pool",
        2,
        (drill, client) -> {
          drill.pool("b").target(Drill.CPU, 2).advance(90, MINUTES);
          client.rollOut(SECOND);
          drill.advance(2, MINUTES);
          new RolloutClient(drill, "b").copyBothOf("a");
          drill.advance(60, MINUTES);
          new RolloutClient(drill, "b").start();
        });
  }

  /** A budget holds up the drain of a Node, which stays when its rollout is stopped. */
  private static Scenario stoppedAtABudget() {
    return scenario(
        "rollout stopped at a budget",
        2,
        (drill, client) -> {
          Node busy = drill.pool("a").nodes().getFirst();
          Pod pod = drill.world.cluster().bindPod("default", "work", busy.name(), "ReplicaSet");
          drill.world.cluster().workloads().guard(pod.uid());
          client.settings(last -> last.withEvict(true));
          drill.advance(1, MINUTES);
          client.rollOut(SECOND);
          drill.advance(20, MINUTES);
          client.stop();
          drill.advance(60, MINUTES);
          client.settings(last -> last.withEvict(false));
          client.start();
        });
  }

  /** A stop while a promotion waits for Nodes in delivery, which is done later. */
  private static Scenario overtaken() {
    return scenario(
        "stop that overtakes a promotion",
        3,
        (drill, client) -> {
          // A Node in delivery leaves no room for a turn, so none depends on chance.
          drill.pool("a").target(4);
          client.rollOut(SECOND);
          client.release(THIRD);
          drill.advance(2, MINUTES);
          client.promote();
          drill.advance(1, MINUTES);
          client.stop();
          drill.advance(120, MINUTES);
          client.start();
        });
  }
}
