package io.nodepool.bench.standing;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.raw.RawClient;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/** Makes changes to an existing load, one after the other, and times the operator's reactions. */
final class StandingPlay {
  /** A little more than the minimum time between two writes of a pool's status, 500 ms. */
  private static final Duration PACE = Duration.ofMillis(600);

  private static final String STRANGER = "stranger";
  private static final String ACTIVE = io.nodepool.vocabulary.condition.NodeCondition.ACTIVE.type();

  private final ApiRequests requests;
  private final Reactions reactions;
  private final Deadline deadline;
  private final StandingLoad load;
  private final String pool;
  private final int target;
  private final Map<String, Integer> pods;
  private boolean raised;

  /**
   * Changes to the load of a pool.
   *
   * @param target its target at rest
   * @param pods the number of Pods of each Node at rest
   */
  StandingPlay(
      ApiRequests requests,
      Reactions reactions,
      Deadline deadline,
      StandingLoad load,
      String pool,
      int target,
      Map<String, Integer> pods) {
    this.requests = requests;
    this.reactions = reactions;
    this.deadline = deadline;
    this.load = load;
    this.pool = pool;
    this.target = target;
    this.pods = new HashMap<>(pods);
  }

  /** Makes all changes, each after the last reaction; returns the times by kind. */
  Map<StandingChanges.Kind, List<Duration>> play(List<StandingChanges.Change> changes) {
    Map<StandingChanges.Kind, List<Duration>> times = new EnumMap<>(StandingChanges.Kind.class);
    for (StandingChanges.Change change : changes) {
      if (change.kind() == StandingChanges.Kind.TARGET_MOVED) {
        // Otherwise the interval between status writes would be measured.
        deadline.await(
            "the pool's status is no longer written",
            () -> reactions.poolsQuietFor().compareTo(PACE) > 0);
      }
      times.computeIfAbsent(change.kind(), _ -> new ArrayList<>()).add(time(change));
    }
    return times;
  }

  private Duration time(StandingChanges.Change change) {
    String node = change.node();
    return switch (change.kind()) {
      case POD_BOUND -> {
        int next = pods.merge(node, 1, Integer::sum);
        yield timed(
            reactions.expect(Node.class, node, List.of(reports(next))),
            () -> load.create(node, StandingLoad.podName(node, next - 1)));
      }
      case POD_ENDED -> {
        int next = pods.merge(node, -1, Integer::sum);
        yield timed(
            reactions.expect(Node.class, node, List.of(reports(next))),
            () -> end(StandingLoad.podName(node, next)));
      }
      case LABEL_CHANGED -> timed(expectRelabelled(node), () -> relabel(node));
      case CONDITION_CHANGED -> {
        boolean active = pods.getOrDefault(node, 0) > 0;
        yield timed(
            reactions.expect(Node.class, node, List.of(isActive(!active), isActive(active))),
            () -> turnOver(node, !active));
      }
      case TARGET_MOVED -> {
        raised = !raised;
        int next = raised ? target + 1 : target;
        yield timed(
            reactions.expect(NodePool.class, pool, List.of(shows(next))), () -> retarget(next));
      }
    };
  }

  /** The time from the response to a change until the reaction was observed. */
  private static Duration timed(Reactions.Expected expected, Runnable change) {
    change.run();
    long changed = System.nanoTime();
    return Duration.ofNanos(Math.max(0, expected.at() - changed));
  }

  /** Expects a Node's label to be restored after a change. */
  Reactions.Expected expectRelabelled(String node) {
    return reactions.expect(Node.class, node, List.of(isLabelled(STRANGER), isLabelled(pool)));
  }

  /** Changes a Node's pool label. */
  void relabel(String node) {
    String patch =
        "{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}"
            .formatted(NodeLabels.NODE_POOL.key(), STRANGER);
    RawClient.check(requests.patch(ApiPaths.node(node), ApiRequests.PatchType.MERGE, patch));
  }

  private void end(String pod) {
    RawClient.check(
        requests.delete(ApiPaths.pod(StandingLoad.NAMESPACE, pod), "{\"gracePeriodSeconds\":0}"));
  }

  private void turnOver(String node, boolean active) {
    String patch =
        "{\"status\":{\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\"}]}}"
            .formatted(ACTIVE, active ? "True" : "False");
    RawClient.check(
        requests.patch(ApiPaths.node(node) + "/status", ApiRequests.PatchType.STRATEGIC, patch));
  }

  private void retarget(int nodes) {
    String patch = "{\"spec\":{\"targetNodes\":%d}}".formatted(nodes);
    RawClient.check(requests.patch(ApiPaths.pool(pool), ApiRequests.PatchType.MERGE, patch));
  }

  private static Predicate<Node> isLabelled(String value) {
    return node -> value.equals(node.getMetadata().getLabels().get(NodeLabels.NODE_POOL.key()));
  }

  private static Predicate<Node> isActive(boolean active) {
    return node ->
        activity(node)
            .map(condition -> condition.getStatus().equals(active ? "True" : "False"))
            .orElse(false);
  }

  /** Whether CWActive names this number of Pods. */
  private static Predicate<Node> reports(int pods) {
    return pods == 0
        ? isActive(false)
        : node ->
            activity(node)
                .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
                .filter(text -> text.startsWith(StandingTemplates.podsText(pods) + " "))
                .isPresent();
  }

  private static Optional<NodeCondition> activity(Node node) {
    return node.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals(ACTIVE))
        .findFirst();
  }

  private static Predicate<NodePool> shows(int nodes) {
    return pool ->
        pool.getStatus() != null
            && Objects.equals(pool.getStatus().targetNodes, nodes)
            && Objects.equals(
                pool.getStatus().observedGeneration, pool.getMetadata().getGeneration());
  }
}
