package io.nodepool.simulated.cluster.document;

import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.metadata.KubernetesNames;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Reads the releases that a data centre's machines can boot from its SimulatedFleet's spec. */
record ReleasesDocument(SimulatedFleetSpec spec, Mistakes mistakes) {
  /** All releases, published or not, oldest first; only of a spec without mistakes. */
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

  /** The publication times of releases that are not there from the start, by name. */
  SortedMap<String, Duration> schedule() {
    TreeMap<String, Duration> schedule = new TreeMap<>();
    for (SimulatedFleetSpec.PublishedRelease entry : spec.releases) {
      Optional.ofNullable(entry.after)
          .flatMap(DurationText::parse)
          .ifPresent(after -> schedule.put(entry.name, after));
    }
    return schedule;
  }

  /** Records the first mistake. */
  void check() {
    Set<String> names = new HashSet<>();
    spec.configurations.forEach(
        each -> checkOnce(names, each.name, "spec.configurations: there are two named %s."));
    spec.releases.forEach(each ->
        checkOnce(
            names,
            each.name,
            "spec.releases: there is another release or configuration named %s."));
    spec.releases.forEach(each -> check("spec.releases: " + each.name, each));
  }

  private void checkOnce(Set<String> names, String name, String message) {
    mistakes.check(names.add(name), () -> message.formatted(name));
  }

  private void check(String where, SimulatedFleetSpec.PublishedRelease entry) {
    mistakes.check(
        !entry.name.isEmpty(), () -> "spec.releases: there is a release without a name.");
    mistakes.duration(where + ": after", entry.after);
    mistakes.check(!entry.images.isEmpty(), () -> where + " has no images; it needs at least one.");
    Set<String> names = new HashSet<>();
    entry.images.forEach(
        image -> checkOnce(names, image.name, where + ": there are two images named %s."));
    entry.images.forEach(image -> check(where, image));
    checkParts(
        where + ": gpuDrivers",
        entry.gpuDrivers,
        part ->
            ConfigurationContents.isPart(part) && KubernetesNames.wrongLabelValue(part).isEmpty());
    checkParts(
        where + ": kubernetesVersion",
        List.of(entry.kubernetesVersion),
        ConfigurationContents::isPart);
  }

  private void check(String where, SimulatedFleetSpec.ReleasedImage image) {
    String ofImage = "%s: image %s".formatted(where, image.name);
    mistakes.check(
        FleetRelease.isTrain(image.train),
        () -> "%s: train is \"%s\"; it is stable or latest.".formatted(ofImage, image.train));
    mistakes.check(
        !image.kernels.isEmpty(), () -> ofImage + " has no kernels; it needs at least one.");
    checkParts(where + ": images", List.of(image.name), ConfigurationContents::isPart);
    checkParts(ofImage + ": kernels", image.kernels, ConfigurationContents::isPart);
  }

  private void checkParts(String where, List<String> parts, Predicate<String> isValid) {
    parts.forEach(part ->
        mistakes.check(
            isValid.test(part),
            () ->
                "%s: \"%s\" cannot be a part of a configuration; it consists of at most 63 letters, digits, dots and hyphens, and begins and ends with a letter or digit."
                    .formatted(where, part)));
  }
}
