package io.nodepool.health;

import io.nodepool.vocabulary.SourceName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What the operator itself finds about the NVLink domain of a rack (contract §14): that all of it
 * is in triage, or that too little of it is in production. A machine that never comes back is
 * missing in production, and so no silence.
 */
public final class DomainSignals {
  /** The component of signals about a whole rack. */
  public static final String RACK = "rack";

  private static final String TRIAGED = "NVLinkDomainFullyTriaged";
  private static final String LOW = "NVLinkDomainProductionNodeCountLow";

  private DomainSignals() {}

  /** What is found about the domain of these machines; nothing about a rack without a domain. */
  public static List<Signal> of(Collection<Tray> trays, RackSettings settings, Instant now) {
    List<Tray> domain = trays.stream().filter(each -> !each.domain().isEmpty()).toList();
    long production = count(domain, Tray.Place.PRODUCTION);
    long triage = count(domain, Tray.Place.TRIAGE);
    boolean triaged = !domain.isEmpty() && triage == domain.size();
    boolean low = production > 0 && production < domain.size() - settings.spare();
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
    return new Signal(key, now, Optional.empty(), "", "", message, Optional.empty());
  }
}
