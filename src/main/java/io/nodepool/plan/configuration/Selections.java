package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a pool's spec selects from the releases of its fleet.
 *
 * @param request the selection of the spec
 * @param hasGpus whether the pool's machines have GPUs
 * @param releases the releases that the pool may use, oldest first
 */
record Selections(ConfigurationRequest request, boolean hasGpus, List<FleetRelease> releases) {
  /** A configuration, and the name of the release that it was selected from. */
  record Selected(NodeConfiguration configuration, String release) {
    String profile() {
      return configuration.profile();
    }
  }

  Selections {
    releases = List.copyOf(releases);
  }

  /** The name of the newest release; empty text if there is none. */
  String newestRelease() {
    return releases.isEmpty() ? "" : releases.getLast().name();
  }

  /** What is selected from the newest release that has it. */
  Optional<Selected> newest() {
    return first(releases.reversed());
  }

  /**
   * What is selected from this release, or from the oldest one after it that has it. A release that
   * is no longer offered counts as older than all.
   */
  Optional<Selected> atOrAfter(String release) {
    int from =
        IntStream.range(0, releases.size())
            .filter(i -> releases.get(i).name().equals(release))
            .findFirst()
            .orElse(0);
    return first(releases.subList(from, releases.size()));
  }

  private Optional<Selected> first(List<FleetRelease> inOrder) {
    return inOrder.stream()
        .flatMap(release ->
            request.select(release, hasGpus) instanceof ConfigurationRequest.Selection.Found found
                ? Optional.of(new Selected(found.configuration(), release.name())).stream()
                : Optional.<Selected>empty().stream())
        .findFirst();
  }

  /** Why nothing can be selected from any release; empty if something can, or without releases. */
  Optional<String> problem() {
    return releases.isEmpty() || newest().isPresent()
        ? Optional.empty()
        : request.select(releases.getLast(), hasGpus)
                instanceof ConfigurationRequest.Selection.Missing missing
            ? Optional.of(missing.why())
            : Optional.empty();
  }
}
