package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

/** Whether the Nodes of a pool have booted into its active configuration. */
public final class Reconfiguration {
  private static final int NAMED = 3;

  private Reconfiguration() {}

  /** The finding of a pool with these configurations. */
  public static Finding check(PoolSnapshot seen, ConfigurationState state) {
    Finding found = check(seen.members().booted(), state.profile());
    return skew(state, new KubernetesSkew(seen.availability().apiServer()))
        .map(text -> new Finding(found.reason(), found.message() + text))
        .orElse(found);
  }

  /**
   * @param booted names of the Nodes that are not being removed, by the profile that they booted
   *     into
   */
  private static Finding check(
      SortedMap<String, ? extends SortedSet<String>> booted, String profile) {
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

  /** How far kubelets are behind the API server, as text to append; empty if they are not. */
  private static Optional<String> skew(ConfigurationState state, KubernetesSkew versions) {
    return state.revisions().stream()
        .filter(each -> each.activeNodes() > 0)
        .map(Revision::profile)
        .flatMap(profile -> ConfigurationContents.of(profile).stream())
        .map(ConfigurationContents::kubernetes)
        .max(Comparator.comparing(kubelet -> versions.behind(kubelet).orElse(0)))
        .filter(kubelet -> versions.behind(kubelet).orElse(0) > 0)
        .map(kubelet ->
            " Kubelets are up to %s behind the API server: %s, %s; supported are %d."
                .formatted(
                    Messages.count(versions.behind(kubelet).orElse(0), "minor version"),
                    kubelet,
                    versions.apiServer().orElseThrow(),
                    KubernetesSkew.SUPPORTED));
  }
}
