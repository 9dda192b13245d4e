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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads what machines report about their health from the spec of a SimulatedFleet.
 *
 * @param entries the faults as they are written
 * @param slots all machines of the data centre
 */
record FaultsDocument(List<FleetMishaps.FaultOfMachines> entries, List<DataCentre.Slot> slots) {
  private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(10);

  /** The faults; what is wrong with them is reported by {@link #problem}. */
  List<MachineFault> faults() {
    return entries.stream().map(this::fault).toList();
  }

  private MachineFault fault(FleetMishaps.FaultOfMachines entry) {
    String component = entry.component == null ? SignalKey.HOST : entry.component;
    return new MachineFault(
        hosts(entry),
        new MachineFault.Part(entry.alert, component),
        begin(entry),
        new MachineFault.Course(
            time(entry.lasts),
            time(entry.every),
            Optional.ofNullable(entry.leadsTo)
                .map(alert -> new MachineFault.Part(alert, component)),
            time(entry.leadsToAfter).orElse(Duration.ZERO),
            entry.silent),
        healing(entry).orElse(MachineFault.Healing.REBOOT));
  }

  private static MachineFault.Begin begin(FleetMishaps.FaultOfMachines entry) {
    Optional<Instant> at = Optional.ofNullable(entry.at).flatMap(ObjectFacts::readableTime);
    if (at.isPresent()) {
      return new MachineFault.Begin.At(at.get());
    }
    return entry.meanTime == null
        ? new MachineFault.Begin.After(time(entry.after).orElse(Duration.ZERO))
        : new MachineFault.Begin.Chance(time(entry.meanTime).orElse(Duration.ZERO));
  }

  private static Optional<MachineFault.Healing> healing(FleetMishaps.FaultOfMachines entry) {
    return entry.healedBy == null
        ? Optional.of(MachineFault.Healing.REBOOT)
        : Word.of(MachineFault.Healing.class, entry.healedBy);
  }

  private SortedSet<String> hosts(FleetMishaps.FaultOfMachines entry) {
    return entry.host != null
        ? new TreeSet<>(List.of(entry.host))
        : slots.stream()
            .filter(slot -> entry.rack != null && slot.machine().rack().equals(entry.rack))
            .map(DataCentre.Slot::host)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Optional<Duration> time(@Nullable String text) {
    return Optional.ofNullable(text).flatMap(DurationText::parse);
  }

  /** The first mistake. */
  Optional<String> problem() {
    return entries.stream()
        .flatMap(entry ->
            problem(entry)
                .map(why -> "spec.mishaps.faults: %s: %s".formatted(entry.alert, why))
                .stream())
        .findFirst();
  }

  private Optional<String> problem(FleetMishaps.FaultOfMachines entry) {
    return place(entry)
        .or(() -> times(entry))
        .or(() -> course(entry))
        .or(() ->
            healing(entry).isPresent()
                ? Optional.empty()
                : Optional.of(
                    "healedBy is \"%s\"; it is one of %s."
                        .formatted(
                            entry.healedBy,
                            Stream.of(MachineFault.Healing.values())
                                .map(MachineFault.Healing::word)
                                .collect(Collectors.joining(", ")))));
  }

  private Optional<String> place(FleetMishaps.FaultOfMachines entry) {
    if (entry.host != null && entry.rack != null) {
      return Optional.of("give host or rack, not both.");
    }
    boolean known =
        slots.stream()
            .anyMatch(slot ->
                (entry.host == null || slot.host().equals(entry.host))
                    && (entry.rack == null || slot.machine().rack().equals(entry.rack)));
    if (known) {
      return Optional.empty();
    }
    return Optional.of(
        entry.host == null
            ? "there is no rack named \"%s\".".formatted(entry.rack)
            : "there is no machine named \"%s\".".formatted(entry.host));
  }

  private static Optional<String> times(FleetMishaps.FaultOfMachines entry) {
    if (Stream.of(
                Optional.ofNullable(entry.at),
                Optional.ofNullable(entry.after),
                Optional.ofNullable(entry.meanTime))
            .filter(Optional::isPresent)
            .count()
        != 1) {
      return Optional.of("give one of at, after and meanTime, which say when it begins.");
    }
    if (entry.at != null && ObjectFacts.readableTime(entry.at).isEmpty()) {
      return Optional.of(
          "at is \"%s\", which is not a time; write it like 2026-11-27T18:00:00Z."
              .formatted(entry.at));
    }
    Map<String, Optional<String>> texts =
        Map.of(
            "after", Optional.ofNullable(entry.after),
            "meanTime", Optional.ofNullable(entry.meanTime),
            "lasts", Optional.ofNullable(entry.lasts),
            "every", Optional.ofNullable(entry.every),
            "leadsToAfter", Optional.ofNullable(entry.leadsToAfter));
    return texts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .flatMap(each ->
            each.getValue().filter(text -> DurationText.parse(text).isEmpty()).stream()
                .map(text ->
                    "%s is \"%s\", which is not a duration; write it like 90s, 5m or 1h30m."
                        .formatted(each.getKey(), text)))
        .findFirst();
  }

  private static Optional<String> course(FleetMishaps.FaultOfMachines entry) {
    Optional<Duration> every = time(entry.every);
    Optional<Duration> lasts = time(entry.lasts);
    if (every.isPresent()
        && (lasts.isEmpty()
            || lasts.get().compareTo(every.get()) >= 0
            || every.get().compareTo(SHORTEST_PERIOD) < 0)) {
      return Optional.of("every is at least 10s, and longer than lasts, which it needs.");
    }
    boolean boots =
        healing(entry)
            .filter(healing ->
                healing == MachineFault.Healing.REBOOT
                    || healing == MachineFault.Healing.HOST_RESET
                    || healing == MachineFault.Healing.HOST_AND_DPU_RESET)
            .isPresent();
    return entry.silent && (lasts.isPresent() || !boots)
        ? Optional.of(
            "a silent kubelet comes back with a boot only: leave lasts out, and give a healedBy that boots.")
        : Optional.empty();
  }
}
