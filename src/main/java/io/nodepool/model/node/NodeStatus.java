package io.nodepool.model.node;

import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.AlertCondition;
import io.nodepool.vocabulary.condition.ConditionType;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The status of a Node.
 *
 * @param notReadySince the last transition of its Ready condition, or its creation if it has none;
 *     empty while the condition is True
 * @param conditions the conditions that CoreWeave's automation sets, without conditions of alerts
 * @param alerts the conditions about its machine's health
 * @param volumes the number of volumes attached to it
 * @param bootId id of its machine's boot, as its kubelet reports it
 */
@RecordBuilder
public record NodeStatus(
    Optional<Instant> notReadySince,
    Map<NodeCondition, Entry> conditions,
    NodeAlerts alerts,
    int volumes,
    String bootId)
    implements NodeStatusCopy.With {
  /** The status of a Node that is Ready and was not registered yet. */
  public static final NodeStatus JOINED =
      new NodeStatus(
          Optional.empty(),
          Map.of(
              NodeCondition.PHASE_STATE,
              new Entry(true, LifecycleState.PRODUCTION.word(), "", Instant.EPOCH, 1)),
          NodeAlerts.NONE,
          0,
          "");

  /**
   * A condition as it is in the list.
   *
   * @param status whether it is True
   * @param since its last transition
   * @param entries how often the condition is in the list; clients append to it
   */
  public record Entry(boolean status, String reason, String message, Instant since, int entries) {}

  public NodeStatus {
    EnumMap<NodeCondition, Entry> ordered = new EnumMap<>(NodeCondition.class);
    ordered.putAll(conditions);
    conditions = Collections.unmodifiableMap(ordered);
  }

  /** A condition; empty if it is missing, or if it is not True and belongs to an alert. */
  public Optional<Entry> condition(ConditionType type) {
    return Optional.ofNullable(
        switch (type) {
          case AlertCondition(String alert) -> alerts.published().get(alert);
          case NodeCondition known -> conditions.get(known);
        });
  }

  private Optional<Entry> inForce(NodeCondition type) {
    return condition(type).filter(Entry::status);
  }

  /** Whether CWRegistered is True. */
  public boolean registered() {
    return inForce(NodeCondition.REGISTERED).isPresent();
  }

  /** The reason of CWRegistered while it is False; empty text otherwise. */
  public String notRegistered() {
    return condition(NodeCondition.REGISTERED)
        .filter(entry -> !entry.status())
        .map(Entry::reason)
        .orElse("");
  }

  /** CWActive; empty while it is not set. */
  public Optional<Node.Activity> activity() {
    return condition(NodeCondition.ACTIVE)
        .map(entry -> new Node.Activity(entry.status(), entry.message()));
  }

  /** CWNodeRemoval while it is True. */
  public Optional<Node.Removing> removing() {
    return inForce(NodeCondition.NODE_REMOVAL)
        .flatMap(entry ->
            Word.of(NodeRemovalReason.class, entry.reason())
                .map(reason -> new Node.Removing(reason, entry.message())));
  }

  /** The conditions about its lifecycle. */
  public Node.Lifecycle lifecycle() {
    return new Node.Lifecycle(
        inForce(NodeCondition.PHASE_STATE).map(Entry::reason).orElse(""),
        condition(NodeCondition.PENDING_PHASE_STATE),
        inForce(NodeCondition.IMMEDIATE_REBOOT).isPresent());
  }

  /** Whether its Ready condition is True. */
  public boolean ready() {
    return notReadySince.isEmpty();
  }

  /** This status with a Ready condition that was written at this instant. */
  public NodeStatus withReady(boolean next, Instant at) {
    return next == ready() ? this : withNotReadySince(next ? Optional.empty() : Optional.of(at));
  }

  /** This status with a condition; without it if the entry is empty. */
  public NodeStatus with(ConditionType type, Optional<Entry> entry) {
    return switch (type) {
      case AlertCondition(String alert) -> withAlerts(alerts.withPublished(alert, entry));
      case NodeCondition known -> {
        EnumMap<NodeCondition, Entry> next = new EnumMap<>(NodeCondition.class);
        next.putAll(conditions);
        entry.ifPresentOrElse(each -> next.put(known, each), () -> next.remove(known));
        yield withConditions(next);
      }
    };
  }
}
