package io.nodepool.receiver;

import io.nodepool.fleet.HostId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.receiver.StoredSignals.Stored;
import io.nodepool.receiver.StoredSignals.Times;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The signals of a notification that must be stored, and the outcomes of its other alerts. Pure.
 *
 * @param changes for each Host, the signals that differ from the stored signals
 * @param alerts for each of these Hosts, the number of alerts that each change combines
 * @param outcomes the number of the other alerts, by outcome
 */
record NotificationPlan(
    Map<HostId, SortedMap<SignalKey, Signal>> changes,
    Map<HostId, Map<SignalKey, Integer>> alerts,
    Map<AlertOutcome, Integer> outcomes) {

  /**
   * A plan.
   *
   * @param find finds the Host with a name
   * @param stored returns the stored signals of the Host with a name
   * @param latest the latest time that is not ahead of the clock: an alert that began later has no
   *     effect, and a later end is replaced by this time
   */
  static NotificationPlan of(
      List<ReceivedAlert> alerts,
      Function<ReceivedAlert.MachineName, Optional<HostId>> find,
      Function<String, Stored> stored,
      Instant latest) {
    NotificationPlan plan =
        new NotificationPlan(new HashMap<>(), new HashMap<>(), new EnumMap<>(AlertOutcome.class));
    alerts.forEach(alert -> plan.add(alert, find, latest));
    plan.changes.forEach((host, signals) -> {
      Stored is = stored.apply(host.name());
      if (!is.isAboutOther(host.uid())) {
        signals.values().stream()
            .filter(signal -> !isChange(is.times(signal.key()), signal))
            .map(Signal::key)
            .toList()
            .forEach(key -> plan.leave(host, key));
      }
    });
    plan.changes.values().removeIf(Map::isEmpty);
    plan.alerts.values().removeIf(Map::isEmpty);
    return plan;
  }

  private void add(
      ReceivedAlert alert,
      Function<ReceivedAlert.MachineName, Optional<HostId>> find,
      Instant latest) {
    Optional<ReceivedAlert.MachineName> machine = alert.machine();
    Optional<HostId> host = machine.flatMap(find);
    Optional<SignalKey> key = alert.key();
    if (key.isEmpty()) {
      outcomes.merge(AlertOutcome.UNNAMED, 1, Integer::sum);
    } else if (machine.isEmpty()) {
      outcomes.merge(AlertOutcome.NO_MACHINE, 1, Integer::sum);
    } else if (host.isEmpty()) {
      outcomes.merge(AlertOutcome.UNKNOWN_MACHINE, 1, Integer::sum);
    } else if (alert.startsAt().isAfter(latest)) {
      outcomes.merge(AlertOutcome.FUTURE, 1, Integer::sum);
    } else {
      changes
          .computeIfAbsent(host.get(), _ -> new TreeMap<>())
          .merge(key.get(), alert.signal(key.get(), latest), NotificationPlan::both);
      alerts.computeIfAbsent(host.get(), _ -> new TreeMap<>()).merge(key.get(), 1, Integer::sum);
    }
  }

  /** Leaves the stored signal unchanged. */
  private void leave(HostId host, SignalKey key) {
    Objects.requireNonNull(changes.get(host)).remove(key);
    int number = Objects.requireNonNull(Objects.requireNonNull(alerts.get(host)).remove(key));
    outcomes.merge(AlertOutcome.UNCHANGED, number, Integer::sum);
  }

  /**
   * Whether a signal must be stored (decision D278); otherwise the stored signal stays. The last
   * received signal counts, unless it is about an earlier occurrence than the active signal.
   */
  static boolean isChange(Optional<Times> stored, Signal received) {
    if (stored.isEmpty()) {
      return true;
    }
    Times times = stored.get();
    boolean stands = times.ended().isEmpty();
    return received
        .ended()
        .map(ended ->
            stands ? !ended.isBefore(times.since()) : received.since().isAfter(times.since()))
        .orElse(!stands || received.since().isAfter(times.since()));
  }

  /**
   * Combines two alerts of one notification into one signal: it is active as long as one of them
   * is, since the earlier start.
   */
  private static Signal both(Signal one, Signal other) {
    if (one.stands() != other.stands()) {
      return one.stands() ? one : other;
    }
    boolean keep =
        one.stands()
            ? !one.since().isAfter(other.since())
            : !one.ended().orElseThrow().isBefore(other.ended().orElseThrow());
    return keep ? one : other;
  }
}
