package io.nodepool.simulated.cluster.document;

import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.MachineFault;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.Word;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads what goes wrong in a data centre from the spec of its SimulatedFleet. */
final class MishapsDocument {
  private final SimulatedFleetSpec spec;
  private final List<DataCentre.Slot> slots;
  private final Set<String> hosts;
  private final Mistakes mistakes;

  /**
   * @param slots all machines of the data centre
   */
  MishapsDocument(SimulatedFleetSpec spec, List<DataCentre.Slot> slots, Mistakes mistakes) {
    this.spec = spec;
    this.slots = slots;
    this.hosts = slots.stream().map(DataCentre.Slot::host).collect(Collectors.toSet());
    this.mistakes = mistakes;
  }

  DataCentre.Mishaps mishaps() {
    FleetMishaps mishaps = Objects.requireNonNullElseGet(spec.mishaps, FleetMishaps::new);
    Set<String> seen = new HashSet<>();
    List<DataCentre.ScriptedReclaim> reclaims =
        spec.reclaims.stream().map(each -> reclaim(each, seen)).toList();
    List<RebootMishaps.Scripted> reboots = mishaps.reboots.stream().map(this::scripted).toList();
    mistakes.check(
        mishaps.rebootHangPercent + mishaps.rebootFailurePercent <= 100,
        () ->
            "spec.mishaps: rebootHangPercent (%d) and rebootFailurePercent (%d) are more than 100 together."
                .formatted(mishaps.rebootHangPercent, mishaps.rebootFailurePercent));
    List<BrokenConfiguration> configurations =
        mishaps.configurations.stream().map(this::broken).toList();
    FaultsDocument document = new FaultsDocument(slots, mistakes);
    List<MachineFault> faults = mishaps.faults.stream().map(document::fault).toList();
    return new DataCentre.Mishaps(
        new TreeSet<>(mishaps.neverBoot),
        new TreeSet<>(mishaps.neverJoin),
        mishaps.bootFailurePercent,
        reclaims,
        mishaps.reclaimsPerDay,
        new RebootMishaps(
            reboots,
            mishaps.rebootHangPercent,
            mishaps.rebootFailurePercent,
            mishaps.verificationFailurePercent,
            mishaps.puntedRoutesPercent),
        configurations,
        faults);
  }

  private DataCentre.ScriptedReclaim reclaim(
      SimulatedFleetSpec.ScriptedReclaim entry, Set<String> seen) {
    checkHost("spec.reclaims", entry.host);
    mistakes.check(
        seen.add(entry.host), () -> "spec.reclaims: %s is there twice.".formatted(entry.host));
    String where = "spec.reclaims: " + entry.host;
    Optional<Duration> after = mistakes.duration(where, entry.after);
    String withdrawAfter = orEmpty(entry.withdrawAfter);
    return new DataCentre.ScriptedReclaim(
        entry.host,
        after.orElse(Duration.ZERO),
        mistakes.duration(where, withdrawAfter.isEmpty() ? null : withdrawAfter));
  }

  private RebootMishaps.Scripted scripted(FleetMishaps.ScriptedReboot entry) {
    checkHost("spec.mishaps.reboots", entry.host);
    String where = "spec.mishaps.reboots: " + entry.host;
    mistakes.check(
        entry.reboot == null || entry.reboot >= 1,
        () ->
            "%s: reboot is %d; the first one is 1, and without it each is meant."
                .formatted(where, entry.reboot));
    return new RebootMishaps.Scripted(
        entry.host, Objects.requireNonNullElse(entry.reboot, 0), kind(where, entry.mishap));
  }

  private BrokenConfiguration broken(FleetMishaps.BrokenParts entry) {
    String image = orEmpty(entry.image);
    String kernel = orEmpty(entry.kernel);
    String gpuDriver = orEmpty(entry.gpuDriver);
    int fromBoot = Objects.requireNonNullElse(entry.fromBoot, 1);
    mistakes.check(
        !(image.isEmpty() && kernel.isEmpty() && gpuDriver.isEmpty()),
        () ->
            "spec.mishaps.configurations: an entry names no part; give at least one of image, kernel and gpuDriver.");
    mistakes.check(
        fromBoot >= 1,
        () ->
            "spec.mishaps.configurations: fromBoot is %d; the first one is 1, and without it each is meant."
                .formatted(fromBoot));
    String mishap = Objects.requireNonNullElse(entry.mishap, RebootMishaps.Kind.HANG.word());
    return new BrokenConfiguration(
        image, kernel, gpuDriver, fromBoot, kind("spec.mishaps.configurations", mishap));
  }

  private RebootMishaps.Kind kind(String where, String word) {
    Optional<RebootMishaps.Kind> kind = Word.of(RebootMishaps.Kind.class, word);
    mistakes.check(
        kind.isPresent(),
        () ->
            "%s: there is no mishap \"%s\"; it is one of %s."
                .formatted(where, word, Mistakes.words(RebootMishaps.Kind.values())));
    return kind.orElse(RebootMishaps.Kind.HANG);
  }

  private void checkHost(String where, String host) {
    mistakes.check(
        hosts.contains(host), () -> "%s: there is no machine named \"%s\".".formatted(where, host));
  }

  private static String orEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
