package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What each kind of work costs for a Node: the operator's writes, its live lists, and its Events
 * about the Node. What it writes about pools does not grow with their Nodes.
 */
class RequestsPerNodeTest {
  private static final int NODES = 4;

  /** Written for a pool or a Namespace, or by an Event alone. */
  private static final Set<String> NOT_OF_NODES =
      Set.of("publish status", "label Namespace", "accept command", "announce");

  private final SortedMap<String, Integer> sent = new TreeMap<>();
  private final Drill drill =
      Drill.with(
          4,
          Faults.NONE,
          OperatorOverrides.AS_BUILT.withWire((action, _) -> {
            count(action);
            return action;
          }));
  private final Drill.PoolDrill pool = drill.pool("a");

  private void count(Action action) {
    if (!NOT_OF_NODES.contains(action.traits().word())) {
      sent.merge(action.traits().word(), 1, Integer::sum);
    }
  }

  private int eventsOfNodes() {
    return drill.world.cluster().events().values().stream()
        .filter(event -> event.eventDraft().regarding().kind() == EventTarget.NODE)
        .mapToInt(event -> event.writes())
        .sum();
  }

  /**
   * The requests that this work costs for one of these Nodes, at most: a machine that stops at once
   * needs no write that shows that it is to.
   */
  private Map<String, Double> forEach(int nodes, Runnable work) {
    sent.clear();
    int before = eventsOfNodes();
    work.run();
    drill.toRest();
    sent.put("Event", eventsOfNodes() - before);
    return sent.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, each -> Math.ceil(each.getValue() / (double) nodes)));
  }

  private void grown() {
    pool.target(NODES).toRest();
  }

  @Test
  void growth() {
    assertThat(forEach(NODES, this::grown))
        .isEqualTo(Map.of("assign Host", 1.0, "report Node", 1.0, "Event", 1.0));
  }

  /** ADR 19 says why it is not less. */
  @Test
  void removal() {
    grown();

    assertThat(forEach(NODES, () -> pool.target(0)))
        .isEqualTo(
            Map.of(
                "mark Node", 1.0,
                "report removal", 1.0,
                "list Pods", 2.0,
                "begin removal", 1.0,
                "stop Host", 1.0,
                "show state", 1.0,
                "delete Node", 1.0,
                "release Host", 1.0,
                "Event", 3.0));
  }

  @Test
  void reboot() {
    grown();

    assertThat(
            forEach(
                NODES,
                () -> {
                  pool.nodes()
                      .forEach(node ->
                          new RebootClient(drill).request(node.name(), LifecycleState.REBOOT));
                  drill.advance(2, HOURS);
                }))
        .isEqualTo(
            Map.of(
                "mark Node", 1.0,
                "list Pods", 2.0,
                "begin removal", 1.0,
                "boot Host", 1.0,
                "report lifecycle", 3.0,
                "end reboot", 1.0,
                "Event", 6.0));
  }

  /** What it boots is staged on every Node when it is promoted, whatever boots it first. */
  @Test
  void rollout() {
    assertThat(rolledOut(UpdateStrategy.MANUAL))
        .isEqualTo(
            Map.of(
                "stage Host", 1.0,
                "mark Node", 1.0,
                "list Pods", 2.0,
                "begin removal", 1.0,
                "boot Host", 1.0,
                "report lifecycle", 3.0,
                "end reboot", 1.0,
                "Event", 7.0));
  }

  /** What a Node boots in its turn is staged with the request to boot. */
  @Test
  void rolloutOnCommand() {
    assertThat(rolledOut(UpdateStrategy.ROLLOUT_ON_COMMAND))
        .isEqualTo(
            Map.of(
                "mark Node", 1.0,
                "list Pods", 2.0,
                "begin removal", 1.0,
                "boot Host", 1.0,
                "report lifecycle", 3.0,
                "end reboot", 1.0,
                "Event", 7.0));
  }

  private Map<String, Double> rolledOut(UpdateStrategy strategy) {
    grown();
    RolloutClient client = new RolloutClient(drill, "a");
    client.strategy(strategy);
    return forEach(
        NODES,
        () -> {
          client.most(NODES);
          client.rollOut("ncore-2.11.0");
          drill.advance(4, HOURS);
        });
  }

  @Test
  void repair() {
    grown();
    Node faulty = pool.nodes().getFirst();
    SignalKey alert = new SignalKey("alertmanager", "gpu2", "GPUTimeoutError");

    assertThat(
            forEach(
                1,
                () -> {
                  drill
                      .world
                      .cluster()
                      .signals()
                      .report(faulty.name(), Signal.standing(alert, drill.world.instant()));
                  drill.advance(5, MINUTES);
                  drill.world.cluster().signals().withdraw(faulty.name(), alert);
                  drill.advance(2, HOURS);
                }))
        .isEqualTo(
            Map.of(
                "mark Node", 1.0,
                "note repair on Host", 1.0,
                "list Pods", 2.0,
                "begin removal", 1.0,
                "boot Host", 1.0,
                "report lifecycle", 4.0,
                "report health", 2.0,
                "end reboot", 1.0,
                "Event", 8.0));
  }

  /** With the growth that replaces each Node. */
  @Test
  void preemption() {
    pool.spot(NODES).toRest();

    assertThat(
            forEach(
                NODES,
                () -> {
                  pool.nodes().forEach(node -> drill.reclaim(node.name()));
                  drill.advance(1, HOURS);
                }))
        .isEqualTo(
            Map.ofEntries(
                Map.entry("mark Node", 1.0),
                Map.entry("report removal", 1.0),
                Map.entry("list Pods", 2.0),
                Map.entry("begin removal", 1.0),
                Map.entry("stop Host", 1.0),
                Map.entry("show state", 1.0),
                Map.entry("delete Node", 1.0),
                Map.entry("release Host", 1.0),
                Map.entry("assign Host", 1.0),
                Map.entry("report Node", 1.0),
                Map.entry("Event", 6.0)));
  }
}
