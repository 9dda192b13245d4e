package io.nodepool.simulated.cluster.document;

import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.vocabulary.DurationText;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Reads what the machines of a data centre can boot from the spec of its SimulatedFleet. */
final class ReleasesDocument {
  private final SimulatedFleetSpec spec;

  ReleasesDocument(SimulatedFleetSpec spec) {
    this.spec = spec;
  }

  /** All releases, published or not, oldest first. */
  List<FleetRelease> releases() {
    return Stream.concat(
            spec.configurations.stream().map(each -> FleetRelease.whole(each.name, each.summary)),
            spec.releases.stream().map(ReleasesDocument::release))
        .toList();
  }

  private static FleetRelease release(SimulatedFleetSpec.PublishedRelease entry) {
    return new FleetRelease.Parts(
        entry.name,
        entry.images.stream()
            .map(image -> new FleetRelease.Image(image.name, image.train, image.kernels))
            .toList(),
        entry.gpuDrivers,
        entry.kubernetesVersion);
  }

  /** When the releases are published that are not there from the start, by their names. */
  SortedMap<String, Duration> schedule() {
    TreeMap<String, Duration> schedule = new TreeMap<>();
    for (SimulatedFleetSpec.PublishedRelease entry : spec.releases) {
      Optional.ofNullable(entry.after)
          .flatMap(DurationText::parse)
          .ifPresent(after -> schedule.put(entry.name, after));
    }
    return schedule;
  }

  /** The first mistake. */
  Optional<String> problem() {
    return twice(
            "spec.configurations: there are two named %s.",
            spec.configurations.stream().map(each -> each.name))
        .or(() ->
            twice(
                "spec.releases: there is another release or configuration named %s.",
                Stream.concat(
                    spec.configurations.stream().map(each -> each.name),
                    spec.releases.stream().map(each -> each.name))))
        .or(() ->
            spec.releases.stream()
                .flatMap(each -> problem("spec.releases: " + each.name, each).stream())
                .findFirst());
  }

  private static Optional<String> twice(String message, Stream<String> names) {
    Set<String> seen = new HashSet<>();
    return names.filter(name -> !seen.add(name)).map(message::formatted).findFirst();
  }

  private static Optional<String> problem(String where, SimulatedFleetSpec.PublishedRelease entry) {
    if (entry.name.isEmpty()) {
      return Optional.of("spec.releases: there is a release without a name.");
    }
    if (entry.after != null && DurationText.parse(entry.after).isEmpty()) {
      return Optional.of(
          "%s: after: \"%s\" is not a duration; write it like 90s, 5m or 1h30m."
              .formatted(where, entry.after));
    }
    if (entry.images.isEmpty()) {
      return Optional.of("%s has no images; it needs at least one.".formatted(where));
    }
    Stream<Supplier<Optional<String>>> checks =
        Stream.of(
            () ->
                twice(
                    where + ": there are two images named %s.",
                    entry.images.stream().map(image -> image.name)),
            () ->
                entry.images.stream().flatMap(image -> problem(where, image).stream()).findFirst(),
            () ->
                wrongPart(
                    where + ": gpuDrivers",
                    entry.gpuDrivers.stream(),
                    part -> ConfigurationContents.isPart(part) && LabelValue.isValid(part)),
            () ->
                wrongPart(
                    where + ": kubernetesVersion",
                    Stream.of(entry.kubernetesVersion),
                    ConfigurationContents::isPart));
    return checks.map(Supplier::get).flatMap(Optional::stream).findFirst();
  }

  private static Optional<String> problem(String where, SimulatedFleetSpec.ReleasedImage image) {
    String ofImage = "%s: image %s".formatted(where, image.name);
    if (!FleetRelease.isTrain(image.train)) {
      return Optional.of(
          "%s: train is \"%s\"; it is stable or latest.".formatted(ofImage, image.train));
    }
    if (image.kernels.isEmpty()) {
      return Optional.of("%s has no kernels; it needs at least one.".formatted(ofImage));
    }
    return wrongPart(where + ": images", Stream.of(image.name), ConfigurationContents::isPart)
        .or(() ->
            wrongPart(
                ofImage + ": kernels", image.kernels.stream(), ConfigurationContents::isPart));
  }

  private static Optional<String> wrongPart(
      String where, Stream<String> parts, Predicate<String> isValid) {
    return parts
        .filter(isValid.negate())
        .findFirst()
        .map(part ->
            "%s: \"%s\" cannot be a part of a configuration; it consists of at most 63 letters, digits, dots and hyphens, and begins and ends with a letter or digit."
                .formatted(where, part));
  }
}
