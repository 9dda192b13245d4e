package io.nodepool.model.node;

import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * The status of a Node.
 *
 * @param ready whether its Ready condition is True
 * @param registered whether CWRegistered is True
 * @param activity CWActive; empty while it is not set
 * @param removing CWNodeRemoval while it is True
 * @param volumes the number of volumes attached to it
 * @param bootId id of its machine's boot, as its kubelet reports it
 * @param lifecycle the conditions about its lifecycle
 */
@RecordBuilder
public record NodeStatus(
    boolean ready,
    boolean registered,
    Optional<Node.Activity> activity,
    Optional<Node.Removing> removing,
    int volumes,
    String bootId,
    Node.Lifecycle lifecycle)
    implements NodeStatusCopy.With {
  /** The status of a Node that is Ready and was not registered yet. */
  public static final NodeStatus JOINED =
      new NodeStatus(true, false, Optional.empty(), Optional.empty(), 0);

  /** A status without a boot id, of a Node in production. */
  public NodeStatus(
      boolean ready,
      boolean registered,
      Optional<Node.Activity> activity,
      Optional<Node.Removing> removing,
      int volumes) {
    this(ready, registered, activity, removing, volumes, "", Node.Lifecycle.PRODUCTION);
  }

  /**
   * A condition as it is in the list.
   *
   * @param status whether it is True
   * @param since its last transition
   * @param entries how often the condition is in the list; clients append to it
   */
  public record Entry(boolean status, String reason, String message, Instant since, int entries) {}

  /** This status with what is read of a condition; empty if it is not in the list. */
  public NodeStatus with(NodeCondition type, Optional<Entry> entry) {
    Optional<Entry> inForce = entry.filter(Entry::status);
    return switch (type) {
      case REGISTERED -> withRegistered(inForce.isPresent());
      case ACTIVE ->
          withActivity(entry.map(each -> new Node.Activity(each.status(), each.message())));
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
