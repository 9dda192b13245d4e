package io.nodepool.plugin.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a NodePool is at its target, and the condition that says why it is not: the first of
 * those that keep it from growing, else AtTarget itself.
 *
 * @param isAtTarget whether it is
 * @param condition the one that decides; empty while the operator has not observed the pool
 */
record PoolStanding(boolean isAtTarget, Optional<JsonNode> condition) {
  /** That of a NodePool as it was read. */
  static PoolStanding of(PoolReading pool) {
    Optional<JsonNode> atTarget = pool.condition(PoolCondition.AT_TARGET);
    if (atTarget.filter(NodeReading::isTrue).isPresent()) {
      return new PoolStanding(true, atTarget);
    }
    Optional<JsonNode> cause =
        Stream.of(PoolCondition.VALIDATED, PoolCondition.QUOTA, PoolCondition.CAPACITY)
            .flatMap(type -> pool.condition(type).stream())
            .filter(each -> !NodeReading.isTrue(each))
            .findFirst();
    return new PoolStanding(false, cause.or(() -> atTarget));
  }

  /** In a word: the reason, such as {@code TargetMet}, or the condition and its reason. */
  String word() {
    return condition
        .map(each ->
            each.path("type").asText("").equals(PoolCondition.AT_TARGET.type())
                ? each.path("reason").asText("")
                : each.path("type").asText("") + ":" + each.path("reason").asText(""))
        .orElse("Unknown");
  }
}
