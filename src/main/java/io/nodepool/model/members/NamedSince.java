package io.nodepool.model.members;

import io.nodepool.fleet.HostId;
import java.time.Instant;
import java.util.Comparator;

/** The member of this name and Host, and since when it is in a state; the earliest comes first. */
public record NamedSince(Instant since, String name, String hostUid)
    implements Comparable<NamedSince> {
  private static final Comparator<NamedSince> ORDER =
      Comparator.comparing(NamedSince::since)
          .thenComparing(NamedSince::name)
          .thenComparing(NamedSince::hostUid);

  /** The member of this Host. */
  public static NamedSince of(Instant since, HostId host) {
    return new NamedSince(since, host.name(), host.uid());
  }

  @Override
  public int compareTo(NamedSince other) {
    return ORDER.compare(this, other);
  }
}
