package io.nodepool.receiver;

import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The stored signals from Alertmanager, by Host: as the watch of HostSignals shows them, or answers
 * to this process's writes, which may be ahead of the watch. Safe for any thread.
 */
final class StoredSignals {
  /** The times of a stored signal. Its texts are not kept: they belong to its first report. */
  record Times(Instant since, Optional<Instant> ended) {
    static Times of(Signal signal) {
      return new Times(signal.since(), signal.ended());
    }
  }

  /**
   * The stored signals of one Host.
   *
   * @param uid the UID of the object; empty text if there is none
   * @param hostUid the UID of the Host that the object is about; empty if it is about any Host of
   *     its name
   * @param version the version; a later change has a greater version
   */
  record Stored(String uid, Optional<String> hostUid, long version, Map<SignalKey, Times> signals) {
    static final Stored NOTHING = new Stored("", Optional.empty(), -1, Map.of());

    private static Stored of(HostSignals object) {
      return new Stored(
          object.uid(),
          object.hostUid(),
          object.version(),
          object.signals().stream()
              .filter(signal -> signal.key().source().equals(ReceivedAlert.SOURCE))
              .collect(Collectors.toUnmodifiableMap(Signal::key, Times::of)));
    }

    /** Whether the object exists. */
    boolean exists() {
      return !uid.isEmpty();
    }

    /** Whether the object is about an earlier Host of the name; the API server deletes it soon. */
    boolean isAboutOther(String uidOfHost) {
      return hostUid.filter(uid -> !uid.equals(uidOfHost)).isPresent();
    }

    /** The times of a signal; empty if it is not stored. */
    Optional<Times> times(SignalKey key) {
      return Optional.ofNullable(signals.get(key));
    }
  }

  private final ConcurrentHashMap<String, Stored> hosts = new ConcurrentHashMap<>();

  /** The stored signals of a Host. */
  Stored about(String host) {
    return hosts.getOrDefault(host, Stored.NOTHING);
  }

  /** The watch shows an object. */
  void observed(HostSignals object) {
    hosts.merge(
        object.host(), Stored.of(object), (old, next) -> next.version >= old.version ? next : old);
  }

  /** The API server answered a write with the object. */
  void answered(HostSignals object) {
    // An answer does not replace a deletion that the watch has shown with the same version.
    hosts.merge(
        object.host(), Stored.of(object), (old, next) -> next.version > old.version ? next : old);
  }

  /** The watch shows that an object is gone. */
  void gone(String host, String uid, long version) {
    hosts.computeIfPresent(
        host,
        (_, old) ->
            old.exists() && !old.uid.equals(uid) && old.version > version
                ? old
                : new Stored("", Optional.empty(), Math.max(old.version, version), Map.of()));
  }

  /** Discards the signals of a Host that is gone. */
  void forget(String host) {
    hosts.remove(host);
  }
}
