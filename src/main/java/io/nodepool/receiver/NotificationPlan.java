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
 * What is to be stored of a notification, and what becomes of the alerts of which nothing is. Pure.
 *
 * @param changes for each Host the signals that differ from what is stored
 * @param alerts for each of these Hosts the number of alerts that each change is made of
 * @param outcomes the number of the other alerts by what becomes of them
 */
record NotificationPlan(
    Map<HostId, SortedMap<SignalKey, Signal>> changes,
    Map<HostId, Map<SignalKey, Integer>> alerts,
    Map<AlertOutcome, Integer> outcomes) {

  /**
   * A plan.
   *
   * @param find the Host of a name
   * @param stored what is stored about the Host of this name
   * @param latest times after this one are ahead of the clock: an alert that began then has no
   *     effect, and one that is over is over now
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

  /** What is stored of this signal stays. */
  private void leave(HostId host, SignalKey key) {
    Objects.requireNonNull(changes.get(host)).remove(key);
    int number = Objects.requireNonNull(Objects.requireNonNull(alerts.get(host)).remove(key));
    outcomes.merge(AlertOutcome.UNCHANGED, number, Integer::sum);
  }

  /**
   * Whether a signal is to be stored (decision D278); else what is stored stays. What arrived last
   * counts, but for an alert that is about an earlier occurrence than the one that stands.
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
   * One signal of two alerts of one notification: it stands as long as one of them does, since the
   * first of them.
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
