package io.nodepool.explain;

import io.nodepool.model.pool.Condition;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.plan.pool.ScaleDownCandidates.Outcome;
import io.nodepool.plan.pool.ScaleDownCandidates.Verdict;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * What a pool does next, and why not more: the plan of the operator, and the values that it decided
 * by.
 *
 * @param current the number of its Nodes
 * @param target the target that is explained
 * @param sentence the outcome in a sentence
 * @param nodes its Nodes in the order in which they would leave
 * @param holds what keeps it from its target, or needs a person
 */
public record PoolExplanation(
    String pool, int current, int target, String sentence, List<NodeFate> nodes, List<Hold> holds) {
  /**
   * What becomes of a Node.
   *
   * @param rank its place among the Nodes that could leave, from 1
   * @param active whether it has tenant work
   * @param fate {@code remove} or {@code keep}
   * @param decidedBy what decided that
   * @param changesIf what would change it; empty text if nothing is known
   */
  public record NodeFate(
      int rank, String node, boolean active, String fate, String decidedBy, String changesIf) {}

  /**
   * A condition of the pool that is not as it should be.
   *
   * @param what its type
   */
  public record Hold(String what, String reason, String message) {}

  public PoolExplanation {
    nodes = List.copyOf(nodes);
    holds = List.copyOf(holds);
  }

  /**
   * Explains a pool.
   *
   * @param target the target to explain instead of its own
   */
  public static PoolExplanation of(
      PoolPlanner planner, PoolSnapshot seen, OptionalInt target, Instant now) {
    PoolSnapshot asked = target.isPresent() ? at(seen, target.getAsInt()) : seen;
    PoolPlan plan = planner.plan(asked, now);
    List<Verdict> order = planner.removalOrder(asked, now);
    int wanted = asked.pool().isTerminating() ? 0 : asked.pool().spec().target();
    int chosen = (int) order.stream().filter(each -> each.outcome() == Outcome.CHOSEN).count();
    boolean protectsWork = asked.pool().spec().keepsBusyNodes();
    return new PoolExplanation(
        asked.pool().id().name(),
        plan.status().counts().current(),
        wanted,
        sentence(order, chosen, protectsWork),
        order.stream().map(each -> fate(each, chosen, wanted)).toList(),
        holds(plan));
  }

  private static PoolSnapshot at(PoolSnapshot seen, int target) {
    var spec = seen.pool().spec();
    return seen.withPool(
        seen.pool()
            .withSpec(
                spec.withSize(
                    spec.size()
                        .withTargetNodes(OptionalInt.of(target))
                        .withTargetRacks(OptionalInt.empty()))));
  }

  private static String sentence(List<Verdict> order, int chosen, boolean protectsWork) {
    long active = order.stream().filter(each -> each.member().isBusy()).count();
    List<String> parts = new ArrayList<>();
    if (chosen > 0) {
      parts.add(
          "removes %d of %s"
              .formatted(chosen, Messages.count(order.size() - (int) active, "idle Node")));
    } else {
      parts.add("removes no Node");
    }
    if (active > 0) {
      parts.add(
          "%d %s active (%s)"
              .formatted(
                  active, active == 1 ? "is" : "are", protectsWork ? "IdleOnly" : "PreferIdle"));
    }
    return String.join("; ", parts);
  }

  private static NodeFate fate(Verdict verdict, int chosen, int target) {
    return new NodeFate(
        verdict.place(),
        verdict.member().host().id().name(),
        verdict.member().isBusy(),
        verdict.outcome() == Outcome.CHOSEN ? "remove" : "keep",
        switch (verdict.outcome()) {
          case CHOSEN -> verdict.rank().text();
          case WAITING, PASSED_OVER -> Reasons.of(verdict);
          case KEPT -> "not needed; " + Reasons.kept(verdict);
        },
        switch (verdict.outcome()) {
          case CHOSEN -> verdict.rank() == CandidateRank.ACTIVE ? "" : "a Pod is bound to it";
          case WAITING -> "its Pods end";
          case PASSED_OVER ->
              verdict
                  .member()
                  .passedOverUntil(Instant.MIN)
                  .map(until -> "time, at " + Messages.instant(until))
                  .orElse("");
          case KEPT -> {
            int next = target - (verdict.place() - chosen);
            yield next < 0 ? "" : "--target " + next;
          }
        });
  }

  private static List<Hold> holds(PoolPlan plan) {
    return plan.status().conditions().entrySet().stream()
        .filter(PoolExplanation::isHold)
        .map(each ->
            new Hold(
                each.getKey().type(), each.getValue().reason().word(), each.getValue().message()))
        .toList();
  }

  private static boolean isHold(Map.Entry<PoolCondition, Condition> each) {
    return each.getKey().isCurrent()
        && each.getValue().reason().status() != each.getKey().healthy();
  }
}
