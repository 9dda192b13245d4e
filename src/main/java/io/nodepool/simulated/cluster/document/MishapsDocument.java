package io.nodepool.simulated.cluster.document;

import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.Word;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what goes wrong in a data centre from the spec of its SimulatedFleet. */
final class MishapsDocument {
  private final SimulatedFleetSpec spec;

  MishapsDocument(SimulatedFleetSpec spec) {
    this.spec = spec;
  }

  DataCentre.Mishaps mishaps() {
    FleetMishaps mishaps = spec.mishaps;
    List<DataCentre.ScriptedReclaim> script =
        spec.reclaims.stream()
            .map(each ->
                new DataCentre.ScriptedReclaim(
                    each.host,
                    DurationText.parse(each.after).orElse(Duration.ZERO),
                    Optional.ofNullable(each.withdrawAfter).flatMap(DurationText::parse)))
            .toList();
    return mishaps == null
        ? DataCentre.Mishaps.NONE.withReclaims(script, 0)
        : new DataCentre.Mishaps(
            new TreeSet<>(mishaps.neverBoot),
            new TreeSet<>(mishaps.neverJoin),
            mishaps.bootFailurePercent,
            script,
            mishaps.reclaimsPerDay,
            reboots(mishaps),
            mishaps.configurations.stream().flatMap(each -> broken(each).stream()).toList(),
            List.of());
  }

  private static RebootMishaps reboots(FleetMishaps mishaps) {
    return new RebootMishaps(
        mishaps.reboots.stream().flatMap(each -> scripted(each).stream()).toList(),
        mishaps.rebootHangPercent,
        mishaps.rebootFailurePercent,
        mishaps.verificationFailurePercent,
        mishaps.puntedRoutesPercent);
  }

  private static Optional<RebootMishaps.Scripted> scripted(FleetMishaps.ScriptedReboot entry) {
    return Word.of(RebootMishaps.Kind.class, entry.mishap)
        .map(kind ->
            new RebootMishaps.Scripted(entry.host, entry.reboot == null ? 0 : entry.reboot, kind));
  }

  private static Optional<BrokenConfiguration> broken(FleetMishaps.BrokenParts entry) {
    return Word.of(RebootMishaps.Kind.class, word(entry))
        .map(kind ->
            new BrokenConfiguration(
                orEmpty(entry.image),
                orEmpty(entry.kernel),
                orEmpty(entry.gpuDriver),
                entry.fromBoot == null ? 1 : entry.fromBoot,
                kind));
  }

  private static String word(FleetMishaps.BrokenParts entry) {
    return entry.mishap == null ? RebootMishaps.Kind.HANG.word() : entry.mishap;
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  /**
   * The first mistake.
   *
   * @param hosts the names of all machines
   */
  Optional<String> problem(Set<String> hosts) {
    return Stream.concat(reclaimProblems(hosts), rebootProblems(hosts)).findFirst();
  }

  private Stream<String> reclaimProblems(Set<String> hosts) {
    Set<String> seen = new HashSet<>();
    return spec.reclaims.stream().flatMap(each -> reclaimProblem(each, hosts, seen).stream());
  }

  private static Optional<String> reclaimProblem(
      SimulatedFleetSpec.ScriptedReclaim entry, Set<String> hosts, Set<String> seen) {
    if (!hosts.contains(entry.host)) {
      return Optional.of("spec.reclaims: there is no machine named \"%s\".".formatted(entry.host));
    }
    if (!seen.add(entry.host)) {
      return Optional.of("spec.reclaims: %s is there twice.".formatted(entry.host));
    }
    return Stream.of(entry.after, orNone(entry.withdrawAfter))
        .filter(text -> DurationText.parse(text).isEmpty())
        .findFirst()
        .map(text ->
            "spec.reclaims: %s: \"%s\" is not a duration; write it like 90s, 5m or 1h30m."
                .formatted(entry.host, text));
  }

  private static String orNone(@Nullable String duration) {
    return duration == null || duration.isEmpty() ? "0s" : duration;
  }

  private Stream<String> rebootProblems(Set<String> hosts) {
    FleetMishaps mishaps = spec.mishaps;
    if (mishaps == null) {
      return Stream.empty();
    }
    return Stream.concat(
        mishaps.reboots.stream().flatMap(each -> rebootProblem(each, hosts).stream()),
        Stream.concat(
            percentProblem(mishaps).stream(),
            mishaps.configurations.stream().flatMap(each -> brokenProblem(each).stream())));
  }

  private static Optional<String> brokenProblem(FleetMishaps.BrokenParts entry) {
    if (orEmpty(entry.image).isEmpty()
        && orEmpty(entry.kernel).isEmpty()
        && orEmpty(entry.gpuDriver).isEmpty()) {
      return Optional.of(
          "spec.mishaps.configurations: an entry names no part; give at least one of image, kernel and gpuDriver.");
    }
    if (entry.fromBoot != null && entry.fromBoot < 1) {
      return Optional.of(
          "spec.mishaps.configurations: fromBoot is %d; the first one is 1, and without it each is meant."
              .formatted(entry.fromBoot));
    }
    return unknownMishap("spec.mishaps.configurations", word(entry));
  }

  private static Optional<String> unknownMishap(String where, String word) {
    return Word.of(RebootMishaps.Kind.class, word).isPresent()
        ? Optional.empty()
        : Optional.of(
            "%s: there is no mishap \"%s\"; it is one of %s."
                .formatted(
                    where,
                    word,
                    Arrays.stream(RebootMishaps.Kind.values())
                        .map(RebootMishaps.Kind::word)
                        .collect(Collectors.joining(", "))));
  }

  private static Optional<String> rebootProblem(
      FleetMishaps.ScriptedReboot entry, Set<String> hosts) {
    if (!hosts.contains(entry.host)) {
      return Optional.of(
          "spec.mishaps.reboots: there is no machine named \"%s\".".formatted(entry.host));
    }
    if (entry.reboot != null && entry.reboot < 1) {
      return Optional.of(
          "spec.mishaps.reboots: %s: reboot is %d; the first one is 1, and without it each is meant."
              .formatted(entry.host, entry.reboot));
    }
    return unknownMishap("spec.mishaps.reboots: " + entry.host, entry.mishap);
  }

  private static Optional<String> percentProblem(FleetMishaps mishaps) {
    return mishaps.rebootHangPercent + mishaps.rebootFailurePercent <= 100
        ? Optional.empty()
        : Optional.of(
            "spec.mishaps: rebootHangPercent (%d) and rebootFailurePercent (%d) are more than 100 together."
                .formatted(mishaps.rebootHangPercent, mishaps.rebootFailurePercent));
  }
}
