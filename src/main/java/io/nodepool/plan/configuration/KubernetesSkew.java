package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.pool.ConfigurationState;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The versions of Kubernetes that kubelets may have beside an API server: never newer, and at most
 * three minor versions older (the version skew policy of Kubernetes).
 *
 * @param apiServer version of the API server, such as v1.34.4; empty while it is not known
 */
public record KubernetesSkew(Optional<String> apiServer) {
  /** How many minor versions a kubelet may be older than the API server. */
  public static final int SUPPORTED = 3;

  private static final Pattern VERSION = Pattern.compile("v?([0-9]{1,4})\\.([0-9]{1,4})(\\..*)?");

  /**
   * Whether kubelets of these releases may be newer than the API server: the releases name their
   * versions, and its version is not known.
   */
  boolean isUnknownFor(List<FleetRelease> releases) {
    return apiServer.flatMap(KubernetesSkew::minor).isEmpty()
        && releases.stream().anyMatch(FleetRelease.Parts.class::isInstance);
  }

  /** Whether a release may be used: its kubelets are not newer than the API server. */
  boolean admits(FleetRelease release) {
    return switch (release) {
      case FleetRelease.Whole _ -> true;
      case FleetRelease.Parts parts -> behind(parts.kubernetes()).orElse(0) >= 0;
    };
  }

  /** Why Nodes must not go back to a configuration; empty if they may. */
  Optional<String> problem(NodeConfiguration configuration) {
    return ConfigurationContents.of(configuration.profile())
        .map(ConfigurationContents::kubernetes)
        .flatMap(kubelet ->
            behind(kubelet)
                .filter(minors -> minors < 0 || minors > SUPPORTED)
                .map(minors ->
                    "its kubelet %s is %s the API server %s, and supported are at most %d minor versions older"
                        .formatted(
                            kubelet,
                            minors < 0 ? "newer than" : minors + " minor versions older than",
                            apiServer.orElseThrow(),
                            SUPPORTED)));
  }

  /**
   * How many minor versions a kubelet is older than the API server; negative if it is newer. Empty
   * if one of the versions is not known.
   */
  public Optional<Integer> behind(String kubelet) {
    return apiServer
        .flatMap(KubernetesSkew::minor)
        .flatMap(server -> minor(kubelet).map(own -> server - own));
  }

  /**
   * How many minor versions the oldest kubelet of a pool is older than the API server; 0 if none is
   * older, or a version is not known.
   */
  public int greatest(ConfigurationState state) {
    return oldest(state).flatMap(this::behind).filter(minors -> minors > 0).orElse(0);
  }

  /** The oldest kubelet of a pool's Nodes, as far as their configurations name it. */
  Optional<String> oldest(ConfigurationState state) {
    return state.revisions().stream()
        .filter(each -> each.activeNodes() > 0)
        .flatMap(each -> ConfigurationContents.of(each.profile()).stream())
        .map(ConfigurationContents::kubernetes)
        .max(Comparator.comparing(kubelet -> behind(kubelet).orElse(0)));
  }

  /** The minor version, with the major version before it. */
  private static Optional<Integer> minor(String version) {
    Matcher found = VERSION.matcher(version);
    return found.matches()
        ? Optional.of(Integer.parseInt(found.group(1)) * 10_000 + Integer.parseInt(found.group(2)))
        : Optional.empty();
  }
}
