package io.nodepool.health;

import java.util.List;
import java.util.Optional;

/**
 * The signals about one Host from sources other than its fleet.
 *
 * @param host the name of the Host
 * @param hostUid the UID of the Host that they are about; empty if they are about any Host of the
 *     name
 * @param version grows with every change of the object; orders observations of one UID
 * @param signals ordered by key
 * @param unreadable the number of entries that cannot be read
 */
public record HostSignals(
    String host,
    String uid,
    Optional<String> hostUid,
    long version,
    List<Signal> signals,
    int unreadable) {
  public HostSignals {
    signals = List.copyOf(signals);
  }

  /** Whether they are about this Host. */
  public boolean areAbout(String uidOfHost) {
    return hostUid.isEmpty() || hostUid.get().equals(uidOfHost);
  }
}
