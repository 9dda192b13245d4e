package io.nodepool.plan.health;

import io.nodepool.health.Health;
import io.nodepool.health.RackHealth;
import io.nodepool.health.Signal;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.condition.AlertCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the conditions of a Node about its machine's health up to date: one for each alert, the
 * strongest first, with an Event when an alert begins or ends. Pure.
 */
public final class HealthReport {
  /** The most conditions of alerts on a Node. */
  public static final int MOST = 8;

  private HealthReport() {}

  /** The one write that brings the conditions up to date; empty if they are. */
  public static Optional<PlannedAction> of(Health health, Node node) {
    SortedMap<String, NodeStatus.Entry> published = node.alerts().published();
    boolean isNone = health.standing().isEmpty() && published.isEmpty();
    if (isNone || health.isUngraded() || !node.registered()) {
      return Optional.empty();
    }
    List<ConditionChange> changes = new ArrayList<>();
    List<EventDraft> events = new ArrayList<>();
    SortedMap<String, StandingAlert> shown = shown(health);
    shown.forEach((name, alert) -> {
      NodeStatus.Entry last = published.get(name);
      if (last == null && alert.state() != StandingAlert.State.STANDS) {
        // The alert is ending, or stale: it gets no new condition and no Event.
        return;
      }
      String message = message(alert, last, health.causeOf(name));
      if (last == null) {
        events.add(triggered(node, alert, message));
      }
      if (last == null || !last.message().equals(message)) {
        changes.add(ConditionChange.alert(name, message, last == null));
      }
    });
    published.forEach((name, last) -> {
      if (!shown.containsKey(name)) {
        changes.add(new ConditionChange.Removed(new AlertCondition(name)));
        if (health.find(name).isEmpty()) {
          events.add(ended(node, name, last));
        }
      }
    });
    return changes.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PlannedAction(
                events,
                Action.WriteNode.report(node, NodePurpose.REPORT_HEALTH, changes),
                "its alerts changed"));
  }

  private static SortedMap<String, StandingAlert> shown(Health health) {
    SortedMap<String, StandingAlert> shown = new TreeMap<>();
    health.standing().stream()
        .filter(each -> isShown(each.alert()))
        .limit(MOST)
        .forEach(each -> shown.put(each.name(), each));
    return shown;
  }

  /**
   * Whether Nodes show an alert: it is known, is about one machine, asks that something is done or
   * watched, and no other client writes its condition.
   */
  private static boolean isShown(Alert alert) {
    return alert.isKnown()
        && alert.subject().isOfOneHost()
        && alert.grade() != Grade.NONE
        && !alert.nodeConditions().contains(alert.name());
  }

  /**
   * The message stays the same while signals come and go within <i>clear</i>, and when the operator
   * restarts and forgets since when the alert is active. It also stays while it is only known that
   * an earlier operator published the signals.
   */
  private static String message(
      StandingAlert alert, NodeStatus.@Nullable Entry last, Optional<RackHealth.Cause> cause) {
    List<Signal> known =
        alert.signals().stream()
            .filter(each -> !each.key().source().equals(SourceName.PUBLISHED))
            .toList();
    if (known.isEmpty()) {
      return last == null ? "" : last.message();
    }
    Signal first = known.getFirst();
    int more = known.size() - 1;
    return "Grade %s, reported by %s about %s%s%s%s"
        .formatted(
            alert.alert().grade().word(),
            first.key().source(),
            first.key().component(),
            more == 0 ? "" : " and by " + Messages.count(more, "other signal"),
            alert.state() == StandingAlert.State.STALE ? stale(known) : "",
            cause.map(HealthReport::symptom).orElse("")
                + (first.message().isEmpty() ? "." : ": " + first.message()));
  }

  private static String stale(List<Signal> known) {
    return known.stream()
        .flatMap(signal ->
            signal.reported().stream()
                .map(at ->
                    ", stale: no heartbeat of %s since %s"
                        .formatted(signal.key().source(), Messages.instant(at))))
        .findFirst()
        .orElse("");
  }

  private static String symptom(RackHealth.Cause cause) {
    return ", a symptom of %s%s"
        .formatted(cause.alert(), cause.host().isEmpty() ? "" : " on " + cause.host());
  }

  private static EventDraft triggered(Node node, StandingAlert alert, String message) {
    return new EventDraft(
        EventReason.NODE_ALERT_TRIGGERED,
        EventDraft.Regarding.of(node),
        alert.name() + " " + alert.since(),
        "Node %s has the alert %s since %s. %s"
            .formatted(node.name(), alert.name(), Messages.instant(alert.since()), message));
  }

  private static EventDraft ended(Node node, String name, NodeStatus.Entry last) {
    return new EventDraft(
        EventReason.NODE_ALERT_ENDED,
        EventDraft.Regarding.of(node),
        name + " " + last.since(),
        "Node %s no longer has the alert %s.".formatted(node.name(), name));
  }
}
