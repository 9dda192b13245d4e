package io.nodepool.health;

import io.nodepool.vocabulary.SourceName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * What the operator itself finds about the NVLink domain of a rack (contract §14): all machines are
 * in triage, or too few are in production. A machine that never comes back is missing in
 * production, so that it is reported.
 */
public final class DomainSignals {
  /** The component of signals about a whole rack. */
  public static final String RACK = "rack";

  /**
   * How many machines of an NVLink domain may be out of production until that is an alert: 2 of 18
   * (contract §14).
   */
  private static final int SPARE = 2;

  private static final String TRIAGED = "NVLinkDomainFullyTriaged";
  private static final String LOW = "NVLinkDomainProductionNodeCountLow";

  private DomainSignals() {}

  /** The signals about the domain of these machines; none about a rack without a domain. */
  public static List<Signal> of(Collection<Tray> trays, Instant now) {
    List<Tray> domain = trays.stream().filter(each -> !each.domain().isEmpty()).toList();
    long production = count(domain, Tray.Place.PRODUCTION);
    long triage = count(domain, Tray.Place.TRIAGE);
    boolean triaged = !domain.isEmpty() && triage == domain.size();
    boolean low = production > 0 && production < domain.size() - SPARE;
    List<Signal> found = new ArrayList<>();
    if (triaged) {
      found.add(found(TRIAGED, "all %d machines".formatted(triage), now));
    }
    if (low) {
      String message = "%d of %d Nodes in production".formatted(production, domain.size());
      found.add(found(LOW, message, now));
    }
    return List.copyOf(found);
  }

  private static long count(List<Tray> domain, Tray.Place place) {
    return domain.stream().filter(each -> each.place() == place).count();
  }

  private static Signal found(String name, String message, Instant now) {
    SignalKey key = new SignalKey(SourceName.OPERATOR, RACK, name);
    return Signal.standing(key, now).withMessage(message);
  }
}
