package io.nodepool.model.node;

import java.util.Comparator;

/**
 * The place of a Node in the order in which a rollout gives Nodes their turn: idle Nodes first,
 * then Nodes whose writes do not fail, then by rack and slot. The UID of the Host makes the order
 * deterministic.
 */
public record TurnPlace(boolean busy, boolean troubled, String rack, int slot, String uid)
    implements Comparable<TurnPlace> {
  private static final Comparator<TurnPlace> ORDER =
      Comparator.comparing(TurnPlace::busy)
          .thenComparing(TurnPlace::troubled)
          .thenComparing(TurnPlace::rack)
          .thenComparingInt(TurnPlace::slot)
          .thenComparing(TurnPlace::uid);

  /** The place of a member. */
  public static TurnPlace of(Member member) {
    return new TurnPlace(
        member.isBusy(),
        member.trouble().isPresent(),
        member.host().machine().rack(),
        member.host().machine().slot(),
        member.host().id().uid());
  }

  @Override
  public int compareTo(TurnPlace other) {
    return ORDER.compare(this, other);
  }
}
