package io.nodepool.plan.pool;

import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

/** Determines the active configuration of a pool, and whether its Nodes have booted into it. */
final class BootConfiguration {
  private static final int NAMED = 3;

  private BootConfiguration() {}

  /**
   * The active profile: the published one, else the newest in the fleet's offer; empty text while
   * neither is known.
   */
  static String active(Pool pool, PoolSnapshot.Offer offer) {
    if (!pool.status().nodeProfile().isEmpty()) {
      return pool.status().nodeProfile();
    }
    return switch (offer) {
      case PoolSnapshot.Offer.Known known ->
          known.offer().releases().isEmpty() ? "" : known.offer().releases().getLast().name();
      case PoolSnapshot.Offer.Lost _ -> "";
    };
  }

  /**
   * @param booted names of the Nodes that are not being removed, by the profile that they booted
   *     into
   */
  static Finding check(SortedMap<String, ? extends SortedSet<String>> booted, String profile) {
    int outdated =
        booted.entrySet().stream()
            .filter(each -> !each.getKey().equals(profile))
            .mapToInt(each -> each.getValue().size())
            .sum();
    return outdated == 0
        ? new Finding(
            NodeReconfigurationReason.ALL_NODES_UP_TO_DATE,
            NodeReconfigurationReason.ALL_NODES_UP_TO_DATE.message().orElseThrow())
        : new Finding(
            NodeReconfigurationReason.STAGED_NODE_CONFIG,
            "%s not booted into %s: %s."
                .formatted(
                    outdated == 1 ? "1 node is" : outdated + " nodes are",
                    profile,
                    Messages.list(firstOutdated(booted, profile), NAMED, outdated)));
  }

  private static List<String> firstOutdated(
      SortedMap<String, ? extends SortedSet<String>> booted, String profile) {
    return booted.entrySet().stream()
        .filter(each -> !each.getKey().equals(profile))
        .flatMap(each -> each.getValue().stream().limit(NAMED))
        .sorted()
        .limit(NAMED)
        .toList();
  }
}
