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
      Function<AlertSignal.MachineName, Optional<HostId>> find,
      Function<String, Stored> stored,
      Instant latest) {
    Building building = new Building(find, latest);
    alerts.forEach(building::add);
    return building.plan(stored);
  }

  /**
   * The state of a signal that is to be stored (decision D278); empty if what is stored stays. What
   * arrived last counts, but for an alert that is about an earlier occurrence than the one that
   * stands.
   */
  static Optional<Signal> next(Optional<Times> stored, Signal received) {
    if (stored.isEmpty()) {
      return Optional.of(received);
    }
    Times times = stored.get();
    boolean stands = times.ended().isEmpty();
    boolean changes =
        received
            .ended()
            .map(ended ->
                stands ? !ended.isBefore(times.since()) : received.since().isAfter(times.since()))
            .orElse(!stands || received.since().isAfter(times.since()));
    return changes ? Optional.of(received) : Optional.empty();
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

  private static final class Building {
    private final Function<AlertSignal.MachineName, Optional<HostId>> find;
    private final Instant latest;
    private final Map<HostId, SortedMap<SignalKey, Signal>> received = new HashMap<>();
    private final Map<HostId, Map<SignalKey, Integer>> counts = new HashMap<>();
    private final EnumMap<AlertOutcome, Integer> outcomes = new EnumMap<>(AlertOutcome.class);

    Building(Function<AlertSignal.MachineName, Optional<HostId>> find, Instant latest) {
      this.find = find;
      this.latest = latest;
    }

    void add(ReceivedAlert alert) {
      Optional<AlertSignal.MachineName> machine = AlertSignal.machine(alert);
      Optional<HostId> host = machine.flatMap(find);
      Optional<SignalKey> key = AlertSignal.key(alert);
      if (key.isEmpty()) {
        count(AlertOutcome.UNNAMED, 1);
      } else if (machine.isEmpty()) {
        count(AlertOutcome.NO_MACHINE, 1);
      } else if (host.isEmpty()) {
        count(AlertOutcome.UNKNOWN_MACHINE, 1);
      } else if (alert.startsAt().isAfter(latest)) {
        count(AlertOutcome.FUTURE, 1);
      } else {
        Signal signal = AlertSignal.signal(key.get(), alert, latest);
        received
            .computeIfAbsent(host.get(), _ -> new TreeMap<>())
            .merge(key.get(), signal, NotificationPlan::both);
        counts.computeIfAbsent(host.get(), _ -> new HashMap<>()).merge(key.get(), 1, Integer::sum);
      }
    }

    private void count(AlertOutcome outcome, int alerts) {
      outcomes.merge(outcome, alerts, Integer::sum);
    }

    NotificationPlan plan(Function<String, Stored> stored) {
      Map<HostId, SortedMap<SignalKey, Signal>> changes = new HashMap<>();
      Map<HostId, Map<SignalKey, Integer>> alerts = new HashMap<>();
      received.forEach((host, signals) -> {
        Stored is = stored.apply(host.name());
        signals.forEach((key, signal) -> {
          int number = counts.getOrDefault(host, Map.of()).getOrDefault(key, 0);
          Optional<Signal> next =
              is.isAboutOther(host.uid()) ? Optional.of(signal) : next(is.times(key), signal);
          if (next.isEmpty()) {
            count(AlertOutcome.UNCHANGED, number);
          } else {
            changes.computeIfAbsent(host, _ -> new TreeMap<>()).put(key, next.get());
            alerts.computeIfAbsent(host, _ -> new TreeMap<>()).put(key, number);
          }
        });
      });
      return new NotificationPlan(changes, alerts, outcomes);
    }
  }
}
