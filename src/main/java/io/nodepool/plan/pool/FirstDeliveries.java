package io.nodepool.plan.pool;

import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationVerdicts;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import java.util.Optional;

/**
 * The first deliveries of a configuration, while no machine of the instance type has booted it: a
 * first group is assigned, and further machines once a Node of the group is registered (decision
 * D223). The fleet's own offer needs no such group as long as nothing else was booted.
 *
 * @param configuration the configuration; empty text if any number may be assigned
 * @param most how many machines may be under way with it
 * @param room how many more may be assigned now
 */
record FirstDeliveries(String configuration, int most, int room) {
  private static final FirstDeliveries ANY =
      new FirstDeliveries("", Integer.MAX_VALUE, Integer.MAX_VALUE);

  /**
   * The deliveries of the active configuration that may be assigned.
   *
   * @param rackSize how many Hosts of a rack are allocated together; 1 or less if Hosts are
   *     allocated singly
   */
  static FirstDeliveries of(PoolSnapshot seen, ConfigurationState state, int rackSize) {
    String profile = state.profile();
    if (profile.isEmpty() || isFleetsFirst(seen, state) || isProven(seen, state)) {
      return ANY;
    }
    int unit = Math.max(1, rackSize);
    int granted = seen.pool().status().growth().map(Growth::granted).orElse(0);
    int most = unit * RolloutSettings.Limit.DEFAULT.of(granted / unit);
    int underWay = seen.members().byConfiguration().comingInto(profile) + seen.assigning();
    return new FirstDeliveries(profile, most, Math.max(0, most - underWay));
  }

  /** Whether it is the fleet's own offer, and nothing else was active before. */
  private static boolean isFleetsFirst(PoolSnapshot seen, ConfigurationState state) {
    return seen.pool().spec().configuration().request().selectsNothing()
        && state.earlier().findAny().isEmpty()
        && seen.availability().verdicts().proven().isEmpty();
  }

  private static boolean isProven(PoolSnapshot seen, ConfigurationState state) {
    ConfigurationVerdicts others = seen.availability().verdicts();
    return seen.members().byConfiguration().count(state.profile()) > 0
        || others.proven().contains(state.profile())
        || state.active().filter(ConfigurationState.Revision::isProven).isPresent();
  }

  /** Why assignments are limited; empty if they are not. */
  Optional<String> text(int queued) {
    return configuration.isEmpty() || room > 0 || queued == 0
        ? Optional.empty()
        : Optional.of(
            "No machine of the type has booted configuration %s: until a Node of it is registered, at most %s may boot it."
                .formatted(configuration, Messages.count(most, "machine")));
  }
}
