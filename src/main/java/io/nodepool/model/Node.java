package io.nodepool.model;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.NodeLabels;
import io.nodepool.vocabulary.NodeRemovalReason;
import io.nodepool.vocabulary.NodeTaints;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A Node that a Host of the fleet joined as: the facts that decisions use.
 *
 * @param hostUid the Host that joined as it
 * @param tenancy the tenancy of its Host that it belongs to
 * @param deleting whether its deletion was asked for; it is there until its finalizers are gone
 * @param ready whether its Ready condition is True
 * @param registered whether CWRegistered is True
 * @param activity what CWActive says; empty while it is not set
 * @param cordoned whether it is unschedulable
 * @param removal where it stands on its way out; empty while it is not
 * @param removing what CWNodeRemoval says while it is True
 * @param volumes how many volumes are attached to it
 * @param metadata what it carries of labels, annotations and taints
 * @param finalizers what keeps it there while it is being deleted
 */
public record Node(
    String name,
    String uid,
    long version,
    String hostUid,
    int tenancy,
    Instant createdAt,
    boolean deleting,
    boolean ready,
    boolean registered,
    Optional<Activity> activity,
    boolean cordoned,
    Optional<Removal> removal,
    Optional<Removing> removing,
    int volumes,
    NodeMetadata metadata,
    List<String> finalizers) {
  public Node {
    finalizers = List.copyOf(finalizers);
  }

  /** One of which no finalizer is known. */
  public Node(
      String name,
      String uid,
      long version,
      String hostUid,
      int tenancy,
      Instant createdAt,
      boolean deleting,
      boolean ready,
      boolean registered,
      Optional<Activity> activity,
      boolean cordoned,
      Optional<Removal> removal,
      Optional<Removing> removing,
      int volumes,
      NodeMetadata metadata) {
    this(
        name,
        uid,
        version,
        hostUid,
        tenancy,
        createdAt,
        deleting,
        ready,
        registered,
        activity,
        cordoned,
        removal,
        removing,
        volumes,
        metadata,
        List.of());
  }

  /** Whether a Node has tenant work, and in words which. */
  public record Activity(boolean active, String message) {}

  /** What the removal of a Node is at, and in words what it waits for. */
  public record Removing(NodeRemovalReason reason, String message) {}

  /** Whether it belongs to this Host's present tenancy. */
  public boolean isOf(Host host) {
    return host.assignment().isPresent()
        && tenancy == host.tenancy()
        && hostUid.equals(host.id().uid());
  }

  /** Whether SUNK holds it for a Slurm job, as its lock taint says. */
  public boolean locked() {
    return isTainted(NodeTaints.SUNK_LOCK);
  }

  /** Whether it is on its way out of its pool: marked, or drained. */
  public boolean isLeaving() {
    return removal.filter(Removal::isLeaving).isPresent();
  }

  /** Whether there is no way back for it: it leaves its pool. */
  public boolean isDraining() {
    return removal.filter(Removal.Draining.class::isInstance).isPresent();
  }

  /** Whether it carries a taint of this key. */
  public boolean isTainted(NodeTaints taint) {
    return metadata.taints().stream().anyMatch(seen -> seen.key().equals(taint.key()));
  }

  /** Whether a client asked for its removal by the label (contract §7). */
  public boolean isRemovalRequested() {
    return metadata.label(NodeLabels.REMOVE_NODE).equals("true");
  }

  /**
   * The mark by which the Cluster Autoscaler asks for its removal, which is another one each time:
   * its value is the second at which it was put.
   */
  public Optional<String> autoscalerMark() {
    return metadata.taints().stream()
        .filter(seen -> seen.key().equals(NodeTaints.AUTOSCALER_DELETION.key()))
        .map(Taint::value)
        .findFirst();
  }

  /** UID of the pool that it carries the label of, or empty text. */
  public String poolUid() {
    return metadata.label(NodeLabels.NODE_POOL_UID);
  }

  /** The same, with this metadata. */
  public Node with(NodeMetadata next) {
    return new Node(
        name,
        uid,
        version,
        hostUid,
        tenancy,
        createdAt,
        deleting,
        ready,
        registered,
        activity,
        cordoned,
        removal,
        removing,
        volumes,
        next,
        finalizers);
  }
}
