package io.nodepool.simulated.cluster.document;

import io.nodepool.health.SignalKey;
import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.MachineFault;
import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the faults that machines report from the spec of a SimulatedFleet.
 *
 * @param slots all machines of the data centre
 */
record FaultsDocument(List<DataCentre.Slot> slots, Mistakes mistakes) {
  private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(10);

  private static final Set<MachineFault.Healing> BOOTS =
      EnumSet.of(
          MachineFault.Healing.REBOOT,
          MachineFault.Healing.HOST_RESET,
          MachineFault.Healing.HOST_AND_DPU_RESET);

  MachineFault fault(FleetMishaps.FaultOfMachines entry) {
    SortedSet<String> hosts = hosts(entry);
    Optional<Instant> at = at(entry);
    Optional<Duration> after = time(entry, "after", entry.after);
    Optional<Duration> every = time(entry, "every", entry.every);
    Optional<Duration> lasts = time(entry, "lasts", entry.lasts);
    Optional<Duration> leadsToAfter = time(entry, "leadsToAfter", entry.leadsToAfter);
    Optional<Duration> meanTime = time(entry, "meanTime", entry.meanTime);
    check(
        entry,
        every.isEmpty()
            || (lasts.filter(each -> each.compareTo(every.get()) < 0).isPresent()
                && every.get().compareTo(SHORTEST_PERIOD) >= 0),
        () -> "every is at least 10s, and longer than lasts, which it needs.");
    String component = Objects.requireNonNullElse(entry.component, SignalKey.HOST);
    return new MachineFault(
        hosts,
        new MachineFault.Part(entry.alert, component),
        at.<MachineFault.Begin>map(MachineFault.Begin.At::new)
            .or(() -> meanTime.map(MachineFault.Begin.Chance::new))
            .orElseGet(() -> new MachineFault.Begin.After(after.orElse(Duration.ZERO))),
        new MachineFault.Course(
            lasts,
            every,
            Optional.ofNullable(entry.leadsTo)
                .map(alert -> new MachineFault.Part(alert, component)),
            leadsToAfter.orElse(Duration.ZERO),
            entry.silent),
        healing(entry, lasts));
  }

  /** The names of the Hosts that have the fault; empty for all. */
  private SortedSet<String> hosts(FleetMishaps.FaultOfMachines entry) {
    check(entry, entry.host == null || entry.rack == null, () -> "give host or rack, not both.");
    if (entry.host == null && entry.rack == null) {
      return new TreeSet<>();
    }
    SortedSet<String> meant =
        slots.stream()
            .filter(slot -> entry.host == null || slot.host().equals(entry.host))
            .filter(slot -> entry.rack == null || slot.machine().rack().equals(entry.rack))
            .map(DataCentre.Slot::host)
            .collect(Collectors.toCollection(TreeSet::new));
    check(
        entry,
        !meant.isEmpty(),
        () ->
            entry.host == null
                ? "there is no rack named \"%s\".".formatted(entry.rack)
                : "there is no machine named \"%s\".".formatted(entry.host));
    return meant;
  }

  private Optional<Instant> at(FleetMishaps.FaultOfMachines entry) {
    check(
        entry,
        Stream.of(entry.at, entry.after, entry.meanTime).filter(Objects::nonNull).count() == 1,
        () -> "give one of at, after and meanTime, which say when it begins.");
    Optional<Instant> at = ObjectFacts.readableTime(entry.at);
    check(
        entry,
        entry.at == null || at.isPresent(),
        () ->
            "at is \"%s\", which is not a time; write it like 2026-11-27T18:00:00Z."
                .formatted(entry.at));
    return at;
  }

  private Optional<Duration> time(
      FleetMishaps.FaultOfMachines entry, String field, @Nullable String text) {
    Optional<Duration> time = Optional.ofNullable(text).flatMap(DurationText::parse);
    check(
        entry,
        text == null || time.isPresent(),
        () ->
            "%s is \"%s\", which is not a duration; write it like 90s, 5m or 1h30m."
                .formatted(field, text));
    return time;
  }

  private MachineFault.Healing healing(
      FleetMishaps.FaultOfMachines entry, Optional<Duration> lasts) {
    Optional<MachineFault.Healing> healing =
        entry.healedBy == null
            ? Optional.of(MachineFault.Healing.REBOOT)
            : Word.of(MachineFault.Healing.class, entry.healedBy);
    check(
        entry,
        !entry.silent || (lasts.isEmpty() && healing.filter(BOOTS::contains).isPresent()),
        () ->
            "a silent kubelet comes back with a boot only: leave lasts out, and give a healedBy that boots.");
    check(
        entry,
        healing.isPresent(),
        () ->
            "healedBy is \"%s\"; it is one of %s."
                .formatted(entry.healedBy, Mistakes.words(MachineFault.Healing.values())));
    return healing.orElse(MachineFault.Healing.REBOOT);
  }

  private void check(FleetMishaps.FaultOfMachines entry, boolean holds, Supplier<String> mistake) {
    mistakes.check(
        holds, () -> "spec.mishaps.faults: %s: %s".formatted(entry.alert, mistake.get()));
  }
}
