package io.nodepool.control.state.machine;

import io.nodepool.health.ObservedSignal;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The signals about one machine or rack, as this operator has observed them. */
final class ObservedSignals {
  private final SortedMap<SignalKey, ObservedSignal> all = new TreeMap<>();

  /**
   * Observes the reported signals; a signal that is no longer reported has ended.
   *
   * @param clear how long a signal must be off until it is over
   * @param first makes the record of a signal that was not observed before
   */
  void observe(
      List<Signal> reported, Instant at, Duration clear, Function<Signal, ObservedSignal> first) {
    SortedMap<SignalKey, Signal> states =
        reported.stream()
            .collect(
                Collectors.toMap(Signal::key, Function.identity(), (one, _) -> one, TreeMap::new));
    all.replaceAll((key, last) ->
        last.again(
            states.containsKey(key) ? states.get(key) : last.signal().endedAt(at), at, clear));
    states.forEach((key, state) -> all.computeIfAbsent(key, _ -> first.apply(state)));
    all.values()
        .removeIf(each -> !states.containsKey(each.signal().key()) && each.isOver(at, clear));
  }

  /** Adds a signal, unless its key exists. */
  void putIfAbsent(SignalKey key, ObservedSignal signal) {
    all.putIfAbsent(key, signal);
  }

  /** All signals that are not over, in the order of their keys. */
  Collection<ObservedSignal> all() {
    return all.values();
  }

  /** Forgets all signals. */
  void clear() {
    all.clear();
  }
}
