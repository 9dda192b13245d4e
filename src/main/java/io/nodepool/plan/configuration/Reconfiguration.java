package io.nodepool.plan.configuration;

import io.nodepool.model.members.Members;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Whether the Nodes of a pool have booted into its active configuration. */
public final class Reconfiguration {
  private static final int NAMED = 3;

  /** The beginning of a text about Nodes on which staging failed. */
  private static final String STAGING_FAILED = "Staging failed on ";

  private Reconfiguration() {}

  /**
   * The finding of a pool with these configurations.
   *
   * @param progress how far a rollout is; empty if there is none
   * @param verdict what other pools' reports about configurations change; empty if nothing
   */
  public static Finding check(
      PoolSnapshot seen,
      ConfigurationState state,
      Optional<String> progress,
      Optional<String> verdict) {
    Finding found =
        missing(seen, state)
            .or(() -> failure(seen.members()))
            .orElseGet(() -> check(seen, state.profile()));
    String message =
        Stream.of(Optional.of(found.message()), progress, verdict, skew(seen, state))
            .flatMap(Optional::stream)
            .collect(Collectors.joining(" "));
    return new Finding(found.reason(), message);
  }

  /** No machine can boot into the active configuration. */
  private static Optional<Finding> missing(PoolSnapshot seen, ConfigurationState state) {
    return PoolConfiguration.missing(seen, state)
        .map(profile ->
            new Finding(
                NodeReconfigurationReason.INTERNAL_ERROR,
                "The fleet does not offer %s, which is active, so no node is reconfigured."
                    .formatted(profile)));
  }

  /** Why staging fails, on how many Nodes, in a sentence; empty if it does not. */
  public static Optional<String> stagingFailure(Members members) {
    return members
        .having(Members.Trait.STAGING_FAILED)
        .findFirst()
        .map(member ->
            STAGING_FAILED
                + "%s: %s"
                    .formatted(
                        Messages.count(members.count(Members.Trait.STAGING_FAILED), "node"),
                        member.findings().staging().orElse("")));
  }

  /** Whether a status reports that staging fails. */
  public static boolean reportsStagingFailure(PoolStatus status) {
    return status
        .condition(PoolCondition.NODE_RECONFIGURATION_REQUIRED)
        .filter(condition ->
            condition.reason() == NodeReconfigurationReason.INTERNAL_ERROR
                && condition.message().startsWith(STAGING_FAILED))
        .isPresent();
  }

  /** Staging failed on some Nodes, so it is not known what they boot next. */
  private static Optional<Finding> failure(Members members) {
    return stagingFailure(members)
        .map(text -> new Finding(NodeReconfigurationReason.INTERNAL_ERROR, text));
  }

  /**
   * No known Node is outdated, but it is not known what some Nodes have booted, because they could
   * never be read.
   */
  private static Optional<Finding> unread(PoolSnapshot seen) {
    int unread = seen.unread().size() + seen.members().count(Members.Trait.UNREAD);
    return unread == 0
        ? Optional.empty()
        : Optional.of(
            new Finding(
                NodeReconfigurationReason.INTERNAL_ERROR,
                "It is not known whether %s up to date: %s cannot be read."
                    .formatted(
                        unread == 1 ? "1 node is" : unread + " nodes are",
                        unread == 1 ? "it" : "they")));
  }

  private static Finding check(PoolSnapshot seen, String profile) {
    // Names of the Nodes that are not being removed, by the profile that they booted into.
    SortedMap<String, ? extends SortedSet<String>> booted = seen.members().booted();
    int outdated =
        booted.entrySet().stream()
            .filter(each -> !each.getKey().equals(profile))
            .mapToInt(each -> each.getValue().size())
            .sum();
    return outdated == 0
        ? unread(seen).orElseGet(() -> Finding.of(NodeReconfigurationReason.ALL_NODES_UP_TO_DATE))
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

  /**
   * How far kubelets are behind the API server, or that this is not known, in a sentence; empty if
   * they are not.
   */
  private static Optional<String> skew(PoolSnapshot seen, ConfigurationState state) {
    KubernetesSkew versions = new KubernetesSkew(seen.availability().apiServer());
    if (seen.offer().known().filter(each -> versions.isUnknownFor(each.releases())).isPresent()) {
      return Optional.of(
          "The version of the API server cannot be read; no other configuration becomes active until it is known.");
    }
    int behind = versions.greatest(state);
    return behind == 0
        ? Optional.empty()
        : Optional.of(
            "Kubelets are up to %s behind the API server: %s, %s; supported are %d."
                .formatted(
                    Messages.count(behind, "minor version"),
                    versions.oldest(state).orElseThrow(),
                    versions.apiServer().orElseThrow(),
                    KubernetesSkew.SUPPORTED));
  }
}
