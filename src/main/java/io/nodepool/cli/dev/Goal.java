package io.nodepool.cli.dev;

import io.nodepool.cli.view.PoolView;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a user waits for: that the pools of the manifests are at their targets.
 *
 * @param names of the pools
 */
record Goal(Set<String> names) {
  /** How far it is. */
  sealed interface GoalProgress {
    /** All of them are there. */
    record Reached(List<PoolView> pools) implements GoalProgress {}

    /** One of them will not get there as it is, however long one waits. */
    record Unreachable(PoolView pool, PoolView.ConditionView why) implements GoalProgress {
      /** It in words. */
      String inWords() {
        return "NodePool %s cannot reach its target: %s is %s (%s): %s"
            .formatted(pool.name(), why.type(), why.status(), why.reason(), why.message());
      }
    }

    /** Some are still on their way. */
    record Waiting(List<PoolView> pools) implements GoalProgress {
      /** It in words, after this time. */
      String inWords(String time) {
        return "Not at target after %s: %s"
            .formatted(
                time,
                pools.stream()
                    .filter(pool -> !pool.isAtTarget())
                    .map(BoardText::line)
                    .collect(Collectors.joining("; ")));
      }
    }
  }

  Goal {
    names = Set.copyOf(names);
  }

  /** How far the goal is when these are the pools of the cluster. */
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
