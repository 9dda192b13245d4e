package io.nodepool.receiver;

import io.nodepool.fleet.HostId;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The Hosts by their names and by the serial numbers of their machines. Safe for any thread. */
final class HostNames {
  private record Entry(HostId id, String serial) {}

  private final Map<String, Entry> byName = new ConcurrentHashMap<>();
  private final Map<String, HostId> bySerial = new ConcurrentHashMap<>();

  /**
   * A Host exists.
   *
   * @param serial the serial number of its machine; empty text if its fleet does not report it
   */
  void seen(HostId id, String serial) {
    Entry before = byName.put(id.name(), new Entry(id, serial));
    if (before != null && !before.serial().equals(serial)) {
      bySerial.remove(before.serial(), before.id());
    }
    if (!serial.isEmpty()) {
      bySerial.put(serial, id);
    }
  }

  /** A Host is gone. */
  void gone(HostId id) {
    Entry before = byName.get(id.name());
    if (before != null && before.id().equals(id)) {
      byName.remove(id.name(), before);
      bySerial.remove(before.serial(), id);
    }
  }

  /** Whether a Host of the name exists. */
  boolean has(String name) {
    return byName.containsKey(name);
  }

  /** The Host of this name; empty if there is none. */
  Optional<HostId> find(ReceivedAlert.MachineName name) {
    if (name.isSerial()) {
      return Optional.ofNullable(bySerial.get(name.text()));
    }
    Entry found = byName.get(name.text());
    return Optional.ofNullable(found == null ? byName.get(name.withoutPort()) : found)
        .map(Entry::id);
  }
}
