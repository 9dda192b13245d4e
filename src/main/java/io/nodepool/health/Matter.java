package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.Grade;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One thing to act on: all alerts that stand about one machine, or about one rack.
 *
 * @param host the name of the Host that it is about; empty if it is about the rack
 * @param evidence its alerts, the one that decides its grade first; at least one
 */
public record Matter(Optional<String> host, List<MatterAlert> evidence) {
  public Matter {
    evidence = evidence.stream().sorted(MatterAlert.ORDER).toList();
    if (evidence.isEmpty()) {
      throw new IllegalArgumentException("a matter has evidence");
    }
  }

  /** The alert that decides its grade: the strongest that is no symptom of another one. */
  public Alert alert() {
    return evidence.getFirst().alert().alert();
  }

  /** What is to be done about it. */
  public Grade grade() {
    return alert().grade();
  }

  /** Since when it is, by the clocks of the sources. */
  public Instant since() {
    return evidence.stream()
        .map(each -> each.alert().since())
        .min(Instant::compareTo)
        .orElseThrow();
  }
}
