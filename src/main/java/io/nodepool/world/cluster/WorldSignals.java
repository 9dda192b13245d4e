package io.nodepool.world.cluster;

import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.SignalSource;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The signals of monitors about Hosts, each object as a merge patch leaves it. A monitor counts as
 * alive without heartbeats, so that runs come to rest. Its heartbeats count once it dies, or if its
 * signals contain when they were reported.
 */
public final class WorldSignals {
  private final WorldStore store;

  WorldSignals(WorldStore store) {
    this.store = store;
  }

  /** Reports a signal, or its new state. A report without a change gives no new version. */
  public void report(String host, Signal signal) {
    SortedMap<SignalKey, Signal> entries = entries(host);
    if (!signal.equals(entries.put(signal.key(), signal))) {
      put(host, entries);
    }
  }

  /** The heartbeat of a source, at this moment. */
  public void beat(String source) {
    SignalSource last = store.sources.get(source);
    String uid = last == null ? store.newUid("source") : last.uid();
    store.put(new SignalSource(source, uid, store.next(), store.now()));
  }

  /** The last heartbeat of a source; empty if it has none. */
  public Optional<Instant> heartbeat(String source) {
    return Optional.ofNullable(store.sources.get(source)).map(SignalSource::heartbeatAt);
  }

  /** A source stops reporting: from now on its signals need heartbeats. */
  public void die(String source) {
    beat(source);
    store.signals.keySet().stream()
        .toList()
        .forEach(host -> {
          SortedMap<SignalKey, Signal> entries = entries(host);
          entries.replaceAll((key, signal) ->
              key.source().equals(source)
                  ? signal.withReported(Optional.of(signal.since()))
                  : signal);
          put(host, entries);
        });
  }

  /** Removes a signal. */
  public void withdraw(String host, SignalKey key) {
    SortedMap<SignalKey, Signal> entries = entries(host);
    if (entries.remove(key) != null) {
      put(host, entries);
    }
  }

  /** Makes the entry of a signal unreadable. */
  public void garble(String host, SignalKey key) {
    SortedMap<SignalKey, Signal> entries = entries(host);
    if (entries.remove(key) != null) {
      put(host, entries, unreadable(host) + 1);
    }
  }

  /** Deletes all signals about a Host. */
  public void delete(String host) {
    store.removeSignals(host);
  }

  /** The signals, by the names of Hosts. */
  public SortedMap<String, HostSignals> all() {
    return Collections.unmodifiableSortedMap(store.signals);
  }

  /** The signals about a Host, ordered by key. */
  public List<Signal> about(String host) {
    return List.copyOf(entries(host).values());
  }

  private SortedMap<SignalKey, Signal> entries(String host) {
    SortedMap<SignalKey, Signal> entries = new TreeMap<>();
    Optional.ofNullable(store.signals.get(host))
        .ifPresent(last -> last.signals().forEach(each -> entries.put(each.key(), each)));
    return entries;
  }

  private int unreadable(String host) {
    return Optional.ofNullable(store.signals.get(host)).map(HostSignals::unreadable).orElse(0);
  }

  private void put(String host, SortedMap<SignalKey, Signal> entries) {
    put(host, entries, unreadable(host));
  }

  private void put(String host, SortedMap<SignalKey, Signal> entries, int unreadable) {
    HostSignals last = store.signals.get(host);
    store.put(
        new HostSignals(
            host,
            last == null ? store.newUid("signals") : last.uid(),
            last == null
                ? Optional.ofNullable(store.hosts.get(host)).map(each -> each.id().uid())
                : last.hostUid(),
            store.next(),
            List.copyOf(entries.values()),
            unreadable));
  }
}
