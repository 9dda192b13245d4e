package io.nodepool.model.node;

import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.AlertCondition;
import io.nodepool.vocabulary.condition.ConditionType;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The status of a Node.
 *
 * @param notReadySince the last transition of its Ready condition, or its creation without one;
 *     empty while that is True
 * @param registration CWRegistered
 * @param activity CWActive; empty while it is not set
 * @param activitySince its last transition; empty while it is not set
 * @param removing CWNodeRemoval while it is True
 * @param volumes the number of volumes attached to it
 * @param bootId id of its machine's boot, as its kubelet reports it
 * @param lifecycle the conditions about its lifecycle
 */
@RecordBuilder
public record NodeStatus(
    Optional<Instant> notReadySince,
    Registration registration,
    Optional<Node.Activity> activity,
    Optional<Instant> activitySince,
    Optional<Node.Removing> removing,
    int volumes,
    String bootId,
    Node.Lifecycle lifecycle)
    implements NodeStatusCopy.With {
  /** The status of a Node that is Ready and was not registered yet. */
  public static final NodeStatus JOINED =
      new NodeStatus(
          Optional.empty(),
          Registration.NONE,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          0,
          "",
          Node.Lifecycle.PRODUCTION);

  /**
   * A condition as it is in the list.
   *
   * @param status whether it is True
   * @param since its last transition
   * @param entries how often the condition is in the list; clients append to it
   */
  public record Entry(boolean status, String reason, String message, Instant since, int entries) {}

  /**
   * What CWRegistered says.
   *
   * @param done whether it is True
   * @param reason why it is False; empty text if it is not
   */
  public record Registration(boolean done, String reason) {
    /** The Node does not have the condition. */
    public static final Registration NONE = new Registration(false, "");

    /** The condition as it is in the list; empty if it is not. */
    static Registration of(Optional<Entry> entry) {
      return entry
          .map(each -> new Registration(each.status(), each.status() ? "" : each.reason()))
          .orElse(NONE);
    }
  }

  /** Whether CWRegistered is True. */
  public boolean registered() {
    return registration.done();
  }

  /** This status with CWRegistered True, or without it. */
  public NodeStatus withRegistered(boolean next) {
    return withRegistration(new Registration(next, ""));
  }

  /** Whether its Ready condition is True. */
  public boolean ready() {
    return notReadySince.isEmpty();
  }

  /** This status with a Ready condition that was written at this instant. */
  public NodeStatus withReady(boolean next, Instant at) {
    return next == ready() ? this : withNotReadySince(next ? Optional.empty() : Optional.of(at));
  }

  /** This status with what is read of a condition; empty if it is not in the list. */
  public NodeStatus with(ConditionType type, Optional<Entry> entry) {
    return switch (type) {
      case AlertCondition(String alert) ->
          withLifecycle(lifecycle.withAlerts(lifecycle.alerts().withPublished(alert, entry)));
      case NodeCondition known -> withKnown(known, entry);
    };
  }

  private NodeStatus withKnown(NodeCondition type, Optional<Entry> entry) {
    Optional<Entry> inForce = entry.filter(Entry::status);
    return switch (type) {
      case REGISTERED -> withRegistration(Registration.of(entry));
      case ACTIVE ->
          withActivity(entry.map(each -> new Node.Activity(each.status(), each.message())))
              .withActivitySince(entry.map(Entry::since));
      case NODE_REMOVAL ->
          withRemoving(
              inForce.flatMap(each ->
                  Word.of(NodeRemovalReason.class, each.reason())
                      .map(reason -> new Node.Removing(reason, each.message()))));
      case PHASE_STATE -> withLifecycle(lifecycle.withPhase(inForce.map(Entry::reason).orElse("")));
      case PENDING_PHASE_STATE ->
          withLifecycle(
              lifecycle.withPending(
                  entry.map(each ->
                      new Node.Pending(
                          each.status(),
                          each.reason(),
                          each.message(),
                          each.since(),
                          each.entries()))));
      case IMMEDIATE_REBOOT -> withLifecycle(lifecycle.withRebooting(inForce.isPresent()));
      case KERNEL_DEADLOCK -> this;
    };
  }
}
