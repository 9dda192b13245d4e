package io.nodepool.ironic.cluster;

import io.nodepool.fleet.Host;
import io.nodepool.ironic.IronicNode;
import io.nodepool.ironic.MachineKubelet;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The loop's state of one machine, by the name that its Host, node and Node share. */
final class Tended {
  final String name;
  @Nullable Host host;

  /** Whether its Host has no status yet; it then counts as being cleaned. */
  boolean unreported;

  @Nullable IronicNode node;
  @Nullable MachineKubelet kubelet;

  /** The number of lists in a row without its node; pages of a list are read one by one. */
  int missing;

  /** Whether a request about it is in flight: then nothing is decided. */
  boolean inFlight;

  /** When the last request about it was answered: earlier readings do not count. */
  Instant answeredAt = Instant.EPOCH;

  /** The number of requests about it that failed in a row. */
  int failures;

  Instant notBefore = Instant.EPOCH;

  Tended(String name) {
    this.name = name;
  }

  /** Takes a reading of the node, unless it is older than the last one. */
  void read(IronicNode seen) {
    boolean newer = node == null || !seen.seenAt().isBefore(node.seenAt());
    if (!inFlight && newer && !seen.seenAt().isBefore(answeredAt)) {
      node = seen;
      missing = 0;
    }
  }

  /** Takes a list of nodes that lacks the machine. */
  void lacked(Instant asked) {
    if (!inFlight && answeredAt.isBefore(asked)) {
      node = null;
      missing++;
    }
  }
}
