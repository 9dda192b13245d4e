package io.nodepool.model.members;

import io.nodepool.model.node.Member;
import java.time.Instant;
import java.util.Comparator;

/** An instant of the member whose Host has this UID, as a sort key. */
record MemberInstant(Instant at, String uid) implements Comparable<MemberInstant> {
  private static final Comparator<MemberInstant> ORDER =
      Comparator.comparing(MemberInstant::at).thenComparing(MemberInstant::uid);

  /** An instant of this member. */
  static MemberInstant of(Instant at, Member member) {
    return new MemberInstant(at, member.host().id().uid());
  }

  @Override
  public int compareTo(MemberInstant other) {
    return ORDER.compare(this, other);
  }
}
