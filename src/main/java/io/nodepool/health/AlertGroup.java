package io.nodepool.health;

import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.Grade;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One thing to act on: all active alerts about one machine, or about one rack.
 *
 * @param host the name of the Host that it is about; empty if it is about the rack
 * @param alerts its alerts, at least one; the first one decides its grade
 */
public record AlertGroup(Optional<String> host, List<GroupedAlert> alerts) {
  public AlertGroup {
    alerts = alerts.stream().sorted(GroupedAlert.ORDER).toList();
    if (alerts.isEmpty()) {
      throw new IllegalArgumentException("a group has alerts");
    }
  }

  /** The alert that decides its grade: the strongest that is no symptom of another one. */
  public Alert alert() {
    return alerts.getFirst().alert().alert();
  }

  /** The grade of the alert that decides. */
  public Grade grade() {
    return alert().grade();
  }

  /** When its earliest alert began, by the clocks of the sources. */
  public Instant since() {
    return alerts.stream().map(each -> each.alert().since()).min(Instant::compareTo).orElseThrow();
  }
}
