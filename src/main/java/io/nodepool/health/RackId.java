package io.nodepool.health;

import java.util.Comparator;

/** The identity of a rack: its name is unique in its zone. */
public record RackId(String zone, String rack) implements Comparable<RackId> {
  private static final Comparator<RackId> ORDER =
      Comparator.comparing(RackId::zone).thenComparing(RackId::rack);

  @Override
  public int compareTo(RackId other) {
    return ORDER.compare(this, other);
  }
}
