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
 * What monitors write about Hosts, each object as a merge patch leaves it. A monitor counts as
 * alive until it dies, without heartbeats, so that runs come to rest; one that dies, or whose
 * signals say when they were reported, counts by its heartbeats.
 */
public final class WorldSignals {
  private final WorldStore store;

  WorldSignals(WorldStore store) {
    this.store = store;
  }

  /** Reports a signal, or another state of it. What changes nothing is no new version. */
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

  /** A source is not heard of any more: from now on its signals need heartbeats. */
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

  /** Takes a signal out. */
  public void withdraw(String host, SignalKey key) {
    SortedMap<SignalKey, Signal> entries = entries(host);
    if (entries.remove(key) != null) {
      put(host, entries);
    }
  }

  /** Makes the entry of a signal one that cannot be read. */
  public void garble(String host, SignalKey key) {
    SortedMap<SignalKey, Signal> entries = entries(host);
    if (entries.remove(key) != null) {
      put(host, entries, unreadable(host) + 1);
    }
  }

  /** Deletes all that is reported about a Host. */
  public void delete(String host) {
    store.removeSignals(host);
  }

  /** What is reported, by the names of Hosts. */
  public SortedMap<String, HostSignals> all() {
    return Collections.unmodifiableSortedMap(store.signals);
  }

  /** What is reported about a Host, ordered by key. */
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
