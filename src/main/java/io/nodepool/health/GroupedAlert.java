package io.nodepool.health;

import java.util.Comparator;

/**
 * An active alert about a machine or its rack, as a part of a group.
 *
 * @param host the name of the Host about which it was reported; empty text if the operator itself
 *     found it about the rack
 * @param symptom whether it is a symptom of another alert of the group
 */
public record GroupedAlert(String host, StandingAlert alert, boolean symptom) {
  /** Symptoms last; else the strongest first, then the earliest. */
  static final Comparator<GroupedAlert> ORDER =
      Comparator.comparing(GroupedAlert::symptom)
          .thenComparing(each -> each.alert().alert().grade(), Comparator.reverseOrder())
          .thenComparing(each -> each.alert().since())
          .thenComparing(GroupedAlert::host)
          .thenComparing(each -> each.alert().name());
}
