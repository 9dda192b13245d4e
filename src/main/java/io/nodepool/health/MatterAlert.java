package io.nodepool.health;

import java.util.Comparator;

/**
 * An alert that stands about a machine or its rack, as a part of a matter.
 *
 * @param host the name of the Host about which it was reported; empty text if the operator itself
 *     found it about the rack
 * @param symptom whether it is one of another alert of the matter
 */
public record MatterAlert(String host, StandingAlert alert, boolean symptom) {
  /** Symptoms last; else the strongest first, then the earliest. */
  static final Comparator<MatterAlert> ORDER =
      Comparator.comparing(MatterAlert::symptom)
          .thenComparing(each -> each.alert().alert().grade(), Comparator.reverseOrder())
          .thenComparing(each -> each.alert().since())
          .thenComparing(MatterAlert::host)
          .thenComparing(each -> each.alert().name());
}
