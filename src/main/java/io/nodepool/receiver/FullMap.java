package io.nodepool.receiver;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.AlertCatalogue;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The signals that a Host keeps when there are more than its object can hold (decision D280). Pure.
 *
 * @param kept the received signals that are stored
 * @param ended the keys of entries that are removed to make room, since their signals are over
 * @param weaker the keys of entries of active signals that are removed for stronger signals
 * @param refused the received signals for which there is no room
 */
record FullMap(
    SortedMap<SignalKey, Signal> kept,
    List<String> ended,
    List<String> weaker,
    List<SignalKey> refused) {

  /**
   * Decides which signals are kept.
   *
   * @param entries the keys of all entries, also of unreadable entries
   * @param stored the entries that can be read
   * @param received the signals to be stored
   */
  static FullMap fit(
      Set<String> entries,
      List<Signal> stored,
      Map<SignalKey, Signal> received,
      AlertCatalogue catalogue) {
    Comparator<Signal> byGrade =
        Comparator.comparing(signal -> catalogue.alert(signal.name()).grade());
    Queue<Signal> removable =
        stored.stream()
            .filter(signal -> !received.containsKey(signal.key()))
            .sorted(
                Comparator.comparing(Signal::stands)
                    .thenComparing(signal -> signal.ended().orElse(Instant.MAX))
                    .thenComparing(byGrade)
                    .thenComparing(Signal::since)
                    .thenComparing(Signal::key))
            .collect(Collectors.toCollection(ArrayDeque::new));
    List<Signal> added =
        received.values().stream()
            // A signal that is over and was never stored need not be stored.
            .filter(signal -> !entries.contains(signal.key().text()) && signal.stands())
            .sorted(byGrade.reversed().thenComparing(Signal::since).thenComparing(Signal::key))
            .toList();
    FullMap fit =
        new FullMap(new TreeMap<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    received.values().stream()
        .filter(signal -> entries.contains(signal.key().text()))
        .forEach(signal -> fit.kept.put(signal.key(), signal));
    int room = Signal.MOST - entries.size();
    for (Signal signal : added) {
      Signal weakest = removable.peek();
      if (room > 0) {
        room--;
      } else if (weakest != null && (!weakest.stands() || byGrade.compare(weakest, signal) < 0)) {
        removable.remove();
        (weakest.stands() ? fit.weaker : fit.ended).add(weakest.key().text());
      } else {
        fit.refused.add(signal.key());
        continue;
      }
      fit.kept.put(signal.key(), signal);
    }
    return fit;
  }

  /** All keys that are removed. */
  List<String> removed() {
    List<String> removed = new ArrayList<>(ended);
    removed.addAll(weaker);
    return removed;
  }
}
