package io.nodepool.model.members;

import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.Member;
import java.util.Comparator;

/**
 * The place of a member in the order of repairs: alerts that may be over come last; then the
 * strongest grade comes first, then idle Nodes, then by name.
 *
 * @param ending whether all signals of the alert are off: nothing begins for it
 * @param busy whether work is on the Node: idle Nodes go first
 * @param alert the alert for which it is repaired
 * @param name name of the Node
 * @param uid UID of the Host
 */
public record RepairPlace(
    boolean ending, Grade grade, boolean busy, String alert, String name, String uid)
    implements Comparable<RepairPlace> {
  private static final Comparator<RepairPlace> ORDER =
      Comparator.comparing(RepairPlace::ending)
          .thenComparing(RepairPlace::grade, Comparator.reverseOrder())
          .thenComparing(RepairPlace::busy)
          .thenComparing(RepairPlace::name)
          .thenComparing(RepairPlace::uid)
          .thenComparing(RepairPlace::alert);

  /** The place of a member whose machine is repaired for this alert. */
  static RepairPlace of(Member member, String alert, Grade grade) {
    return new RepairPlace(
        !member.findings().needed().stands(alert),
        grade,
        member.isBusy(),
        alert,
        member.host().id().name(),
        member.host().id().uid());
  }

  @Override
  public int compareTo(RepairPlace other) {
    return ORDER.compare(this, other);
  }
}
