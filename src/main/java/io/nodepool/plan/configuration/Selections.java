package io.nodepool.plan.configuration;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.pool.ConfigurationVerdicts;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * What a pool's spec selects from the releases of its fleet.
 *
 * @param request the selection of the spec
 * @param hasGpus whether the pool's machines have GPUs
 * @param releases the releases that the pool may use, oldest first
 * @param verdicts what other pools of the same instance type report: a configuration that one of
 *     them disabled is selected only by a request that names it
 */
record Selections(
    ConfigurationRequest request,
    boolean hasGpus,
    List<FleetRelease> releases,
    ConfigurationVerdicts verdicts) {
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

  /**
   * The selection from the newest release that has one. If another pool reports it as disabled, and
   * the request does not name it: the newest proven one instead, or else the newest other one.
   */
  Optional<Selected> newest() {
    Optional<Selected> any = any();
    if (any.filter(this::isAvoided).isEmpty()) {
      return any;
    }
    return first(
            releases.reversed(),
            each -> !isAvoided(each) && verdicts.proven().contains(each.profile()))
        .or(() -> first(releases.reversed(), each -> !isAvoided(each)));
  }

  private Optional<Selected> any() {
    return first(releases.reversed(), _ -> true);
  }

  private boolean isAvoided(Selected selected) {
    return !request.namesConfiguration() && verdicts.disabledIn().containsKey(selected.profile());
  }

  /**
   * What other pools' verdicts change for a pool with this active configuration, in a sentence;
   * empty if they change nothing.
   */
  Optional<String> verdict(String active) {
    Optional<Selected> any = any();
    Optional<String> pool =
        any.map(Selected::profile).map(profile -> verdicts.disabledIn().get(profile));
    if (any.isEmpty() || pool.isEmpty()) {
      return Optional.empty();
    }
    String profile = any.get().profile();
    if (request.namesConfiguration()) {
      return Optional.of(
          "%s, which the spec names, is disabled in NodePool %s.".formatted(profile, pool.get()));
    }
    String instead =
        newest()
            .map(each -> "the newest other one is %s".formatted(each.profile()))
            .orElse("the fleet offers no other one");
    return profile.equals(active)
        ? Optional.empty()
        : Optional.of(
            "%s is not chosen, since it is disabled in NodePool %s; %s. To boot it nevertheless, name it in spec.image."
                .formatted(profile, pool.get(), instead));
  }

  /**
   * The selection from this release, or from the oldest release after it that has one. A release
   * that is no longer offered counts as older than all.
   */
  Optional<Selected> atOrAfter(String release) {
    int from =
        IntStream.range(0, releases.size())
            .filter(i -> releases.get(i).name().equals(release))
            .findFirst()
            .orElse(0);
    return first(releases.subList(from, releases.size()), each -> !isAvoided(each));
  }

  private Optional<Selected> first(List<FleetRelease> inOrder, Predicate<Selected> isWanted) {
    return inOrder.stream()
        .flatMap(release ->
            request.select(release, hasGpus) instanceof ConfigurationRequest.Selection.Found found
                ? Optional.of(new Selected(found.configuration(), release.name())).stream()
                : Optional.<Selected>empty().stream())
        .filter(isWanted)
        .findFirst();
  }

  /** Why nothing can be selected from any release; empty if one can, or there are no releases. */
  Optional<String> problem() {
    return releases.isEmpty() || any().isPresent()
        ? Optional.empty()
        : request.select(releases.getLast(), hasGpus)
                instanceof ConfigurationRequest.Selection.Missing missing
            ? Optional.of(missing.why())
            : Optional.empty();
  }
}
