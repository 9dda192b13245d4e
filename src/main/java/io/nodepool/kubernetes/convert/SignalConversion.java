package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.nodepool.fleet.Host;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.SignalSource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SignalSourceResource;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.UserText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Converts signals in the statuses of Hosts and in HostSignals. */
public final class SignalConversion {
  private static final String HOST = "Host";

  private SignalConversion() {}

  /**
   * The signals that a fleet reports. A signal that cannot be read is left out, since it must not
   * block the machine.
   */
  static List<Signal> ofFleet(List<HostStatus.ReportedSignal> signals) {
    return signals.stream()
        .flatMap(each -> fleetSignal(each).stream())
        .sorted(Comparator.comparing(Signal::key))
        .toList();
  }

  private static Optional<Signal> fleetSignal(HostStatus.ReportedSignal object) {
    String component = object.component == null ? SignalKey.HOST : object.component;
    return SignalKey.parse(new SignalKey(SourceName.FLEET, component, object.name).text())
        .flatMap(key ->
            ObjectFacts.readableTime(object.observedAt)
                .map(since ->
                    new Signal(
                        key,
                        since,
                        Optional.empty(),
                        orEmpty(object.bootId),
                        orEmpty(object.severity),
                        message(object.message),
                        Optional.empty())));
  }

  private static String message(@Nullable String text) {
    return UserText.shortened(orEmpty(text), Signal.LONGEST_MESSAGE);
  }

  /** The signals of a fleet's report, in the form of a Host's status. */
  static List<HostStatus.ReportedSignal> ofFleet(Host.Report report) {
    return report.signals().stream().map(SignalConversion::fleetSignal).toList();
  }

  private static HostStatus.ReportedSignal fleetSignal(Signal signal) {
    HostStatus.ReportedSignal object = new HostStatus.ReportedSignal();
    object.name = signal.name();
    object.component = signal.key().isOfHost() ? null : signal.key().component();
    object.observedAt = signal.since().toString();
    object.bootId = orAbsent(signal.bootId());
    object.severity = orAbsent(signal.severity());
    object.message = orAbsent(signal.message());
    return object;
  }

  /** The signals of an object. Entries that cannot be read are counted. */
  public static HostSignals signals(HostSignalsResource object) {
    Map<String, HostSignalsSpec.Entry> entries =
        object.getSpec() == null ? Map.of() : object.getSpec().signals;
    List<Signal> read = new ArrayList<>();
    entries.forEach((key, entry) -> signal(key, entry).ifPresent(read::add));
    read.sort(Comparator.comparing(Signal::key));
    return new HostSignals(
        ObjectFacts.name(object),
        ObjectFacts.uid(object),
        owner(object),
        ObjectFacts.version(object),
        read,
        entries.size() - read.size());
  }

  /** The heartbeat of a source. */
  public static SignalSource source(SignalSourceResource object) {
    return new SignalSource(
        ObjectFacts.name(object),
        ObjectFacts.uid(object),
        ObjectFacts.version(object),
        Optional.ofNullable(object.getSpec())
            .flatMap(spec -> ObjectFacts.readableTime(spec.heartbeatAt))
            .orElse(Instant.EPOCH));
  }

  private static Optional<String> owner(HostSignalsResource object) {
    return Stream.ofNullable(object.getMetadata().getOwnerReferences())
        .flatMap(List::stream)
        .filter(owner -> HOST.equals(owner.getKind()))
        .map(OwnerReference::getUid)
        .findFirst();
  }

  private static Optional<Signal> signal(String key, HostSignalsSpec.@Nullable Entry entry) {
    return entry == null
        ? Optional.empty()
        : SignalKey.reported(key)
            .flatMap(parsed ->
                ObjectFacts.readableTime(entry.since)
                    .map(since ->
                        new Signal(
                            parsed,
                            since,
                            ObjectFacts.readableTime(entry.endedAt),
                            orEmpty(entry.bootId),
                            orEmpty(entry.severity),
                            message(entry.message),
                            Optional.of(since))));
  }

  /** A signal in the form of an entry of HostSignals. */
  public static HostSignalsSpec.Entry entry(Signal signal) {
    HostSignalsSpec.Entry entry = new HostSignalsSpec.Entry();
    entry.since = ObjectFacts.seconds(signal.since());
    entry.endedAt = signal.ended().map(ObjectFacts::seconds).orElse(null);
    entry.bootId = orAbsent(signal.bootId());
    entry.severity = orAbsent(signal.severity());
    entry.message = orAbsent(message(signal.message()));
    return entry;
  }
}
