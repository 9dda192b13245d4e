package io.nodepool.cli.dev;

import io.nodepool.cli.view.PoolView;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The goal of {@code --exit-at-target}: the pools of the manifests are at their targets.
 *
 * @param names the names of the pools
 */
record Goal(Set<String> names) {
  /** The progress towards the goal. */
  sealed interface GoalProgress {
    /** All pools are at their targets. */
    record Reached(List<PoolView> pools) implements GoalProgress {}

    /** A pool cannot reach its target without a change. */
    record Unreachable(PoolView pool, PoolView.ConditionView why) implements GoalProgress {
      /** The line for the user. */
      String inWords() {
        return "NodePool %s cannot reach its target: %s is %s (%s): %s"
            .formatted(pool.name(), why.type(), why.status(), why.reason(), why.message());
      }
    }

    /** Some pools are not at their targets yet. */
    record Waiting(List<PoolView> pools) implements GoalProgress {
      /** The line for the user after this time. */
      String inWords(String time) {
        return "Not at target after %s: %s"
            .formatted(
                time,
                pools.stream()
                    .filter(pool -> !pool.isAtTarget())
                    .map(PoolView::line)
                    .collect(Collectors.joining("; ")));
      }
    }
  }

  Goal {
    names = Set.copyOf(names);
  }

  /** The progress, given the pools of the cluster. */
  GoalProgress progress(List<PoolView> pools) {
    List<PoolView> wanted = pools.stream().filter(pool -> names.contains(pool.name())).toList();
    Optional<PoolView> stuck =
        wanted.stream().filter(pool -> pool.obstacle().isPresent()).findFirst();
    if (stuck.isPresent()) {
      return new GoalProgress.Unreachable(stuck.get(), stuck.get().obstacle().orElseThrow());
    }
    return wanted.size() == names.size() && wanted.stream().allMatch(PoolView::isAtTarget)
        ? new GoalProgress.Reached(wanted)
        : new GoalProgress.Waiting(wanted);
  }
}
