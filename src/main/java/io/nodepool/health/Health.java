package io.nodepool.health;

import io.nodepool.health.catalogue.AlertCatalogue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The health of one machine at an instant, folded from its signals.
 *
 * @param standing the active alerts, the strongest first
 * @param dropped the signals from which nothing follows, and why
 * @param symptoms the causes of the alerts that are symptoms of others, on the same machine or in
 *     its NVLink domain, by the name of the symptom
 * @param changesAt when it changes without an observation; empty if it does not
 * @param isUngraded whether the grades of alerts are not known, since the user's changes of the
 *     catalogue were never read
 */
@RecordBuilder
public record Health(
    List<StandingAlert> standing,
    SortedMap<SignalKey, DropReason> dropped,
    SortedMap<String, RackHealth.Cause> symptoms,
    Optional<Instant> changesAt,
    boolean isUngraded)
    implements HealthCopy.With {
  /** Nothing was reported. */
  public static final Health NONE =
      new Health(List.of(), new TreeMap<>(), new TreeMap<>(), Optional.empty(), false);

  public Health {
    standing = List.copyOf(standing);
    dropped = Collections.unmodifiableSortedMap(new TreeMap<>(dropped));
    symptoms = Collections.unmodifiableSortedMap(new TreeMap<>(symptoms));
  }

  /** This health, which also changes at this instant, as the findings about its rack do. */
  public Health changingAt(Optional<Instant> at) {
    return withChangesAt(Stream.concat(changesAt.stream(), at.stream()).min(Instant::compareTo));
  }

  /**
   * The health of a machine on this boot.
   *
   * @param now the present, by the clock by which the signals were observed
   */
  public static Health of(
      Collection<ObservedSignal> signals,
      ObservedBoot boot,
      AlertCatalogue catalogue,
      HealthSettings settings,
      Instant now) {
    if (signals.isEmpty()) {
      return NONE;
    }
    HealthFold fold = new HealthFold(boot, catalogue, settings, now);
    signals.forEach(fold::add);
    return fold.health();
  }

  /** The cause of this alert; empty if it is no symptom. */
  public Optional<RackHealth.Cause> causeOf(String alert) {
    return Optional.ofNullable(symptoms.get(alert));
  }

  /** The alert of this name, if it is active. */
  public Optional<StandingAlert> find(String alert) {
    return standing.stream().filter(each -> each.name().equals(alert)).findFirst();
  }
}
