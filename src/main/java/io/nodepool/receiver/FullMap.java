package io.nodepool.receiver;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Which signals a Host keeps when there are more than its object holds (decision D280). Pure.
 *
 * @param kept the received signals that are stored
 * @param ended the keys that are taken out although their entries could stay, since they are over
 * @param weaker the keys of standing entries that are taken out for stronger ones
 * @param refused the received signals for which there is no room
 */
record FullMap(
    SortedMap<SignalKey, Signal> kept,
    List<String> ended,
    List<String> weaker,
    List<SignalKey> refused) {

  /**
   * What is kept.
   *
   * @param entries the keys of all entries, also of those that cannot be read
   * @param stored the entries that can be read
   * @param received the signals to be stored
   */
  static FullMap fit(
      Set<String> entries,
      List<Signal> stored,
      Map<SignalKey, Signal> received,
      AlertCatalogue catalogue) {
    return new Fitting(entries, stored, received, catalogue).fit();
  }

  /** All keys that are taken out. */
  List<String> removed() {
    List<String> removed = new ArrayList<>(ended);
    removed.addAll(weaker);
    return removed;
  }

  /** The choice for one object. */
  private static final class Fitting {
    private final AlertCatalogue catalogue;
    private final Map<SignalKey, Signal> received;
    private final Set<String> keys;

    /** Those that may be taken out, the first first: ended ones, then by grade and age. */
    private final List<Signal> candidates;

    private final List<String> ended = new ArrayList<>();
    private final List<String> weaker = new ArrayList<>();

    Fitting(
        Set<String> entries,
        List<Signal> stored,
        Map<SignalKey, Signal> received,
        AlertCatalogue catalogue) {
      this.catalogue = catalogue;
      this.received = received;
      this.keys = new HashSet<>(entries);
      this.candidates =
          new ArrayList<>(
              stored.stream()
                  .filter(signal -> !received.containsKey(signal.key()))
                  .sorted(
                      Comparator.comparing(Signal::stands)
                          .thenComparing(signal -> signal.ended().orElse(Instant.MAX))
                          .thenComparing(this::grade)
                          .thenComparing(Signal::since)
                          .thenComparing(Signal::key))
                  .toList());
    }

    private Grade grade(Signal signal) {
      return catalogue.alert(signal.name()).grade();
    }

    FullMap fit() {
      SortedMap<SignalKey, Signal> kept = new TreeMap<>();
      List<SignalKey> refused = new ArrayList<>();
      received.values().stream()
          .filter(signal -> keys.contains(signal.key().text()))
          .forEach(signal -> kept.put(signal.key(), signal));
      received.values().stream()
          // One that is over and was never stored ends nothing.
          .filter(signal -> !keys.contains(signal.key().text()) && signal.stands())
          .sorted(
              Comparator.comparing(this::grade)
                  .reversed()
                  .thenComparing(Signal::since)
                  .thenComparing(Signal::key))
          .forEach(signal -> {
            if (keys.size() < Signal.MOST || makeRoom(signal)) {
              keys.add(signal.key().text());
              kept.put(signal.key(), signal);
            } else {
              refused.add(signal.key());
            }
          });
      return new FullMap(kept, ended, weaker, refused);
    }

    private boolean makeRoom(Signal signal) {
      Optional<Signal> first = candidates.stream().findFirst();
      boolean goes =
          first
              .filter(each -> !each.stands() || grade(each).compareTo(grade(signal)) < 0)
              .isPresent();
      if (goes) {
        Signal removed = candidates.removeFirst();
        keys.remove(removed.key().text());
        (removed.stands() ? weaker : ended).add(removed.key().text());
      }
      return goes;
    }
  }
}
