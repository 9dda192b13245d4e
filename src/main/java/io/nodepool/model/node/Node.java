package io.nodepool.model.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A Node that a Host of the fleet joined as: the facts that decisions use.
 *
 * @param version grows with every change of the object
 * @param metadata what it carries of labels, annotations and taints
 * @param cordoned whether it is unschedulable
 * @param removal where it stands on its way out; empty while it is not
 */
public record Node(
    Identity identity,
    long version,
    NodeMetadata metadata,
    boolean cordoned,
    Optional<Removal> removal,
    Status status,
    Finalization finalization) {

  /**
   * Which Node it is, and of which machine: what stays the same while it exists.
   *
   * @param hostUid the Host that joined as it
   * @param tenancy the tenancy of its Host that it belongs to
   */
  public record Identity(String name, String uid, Instant createdAt, String hostUid, int tenancy) {}

  /**
   * What its status says.
   *
   * @param ready whether its Ready condition is True
   * @param registered whether CWRegistered is True
   * @param activity what CWActive says; empty while it is not set
   * @param removing what CWNodeRemoval says while it is True
   * @param volumes how many volumes are attached to it
   */
  public record Status(
      boolean ready,
      boolean registered,
      Optional<Activity> activity,
      Optional<Removing> removing,
      int volumes) {
    /** That of a Node that answers and was not registered yet. */
    public static final Status JOINED =
        new Status(true, false, Optional.empty(), Optional.empty(), 0);

    /** The same, Ready or not. */
    public Status withReady(boolean next) {
      return new Status(next, registered, activity, removing, volumes);
    }

    /** The same, registered or not. */
    public Status withRegistered(boolean next) {
      return new Status(ready, next, activity, removing, volumes);
    }

    /** The same with another activity. */
    public Status withActivity(Optional<Activity> next) {
      return new Status(ready, registered, next, removing, volumes);
    }

    /** The same with something else said of its removal. */
    public Status withRemoving(Optional<Removing> next) {
      return new Status(ready, registered, activity, next, volumes);
    }

    /** The same with so many volumes attached. */
    public Status withVolumes(int next) {
      return new Status(ready, registered, activity, removing, next);
    }
  }

  /**
   * Whether its object is to go, and what keeps it.
   *
   * @param deleting whether its deletion was asked for; it is there until its finalizers are gone
   * @param finalizers what keeps it there while it is being deleted
   */
  public record Finalization(boolean deleting, List<String> finalizers) {
    /** Its deletion was not asked for. */
    public static final Finalization NONE = new Finalization(false, List.of());

    public Finalization {
      finalizers = List.copyOf(finalizers);
    }
  }

  /** Whether a Node has tenant work, and in words which. */
  public record Activity(boolean active, String message) {}

  /** What the removal of a Node is at, and in words what it waits for. */
  public record Removing(NodeRemovalReason reason, String message) {}

  /** Its name, which is its Host's. */
  public String name() {
    return identity.name();
  }

  /** Its UID. */
  public String uid() {
    return identity.uid();
  }

  /** UID of the Host that joined as it. */
  public String hostUid() {
    return identity.hostUid();
  }

  /** Whether its Ready condition is True. */
  public boolean ready() {
    return status.ready();
  }

  /** Whether CWRegistered is True. */
  public boolean registered() {
    return status.registered();
  }

  /** What CWActive says; empty while it is not set. */
  public Optional<Activity> activity() {
    return status.activity();
  }

  /** What CWNodeRemoval says while it is True. */
  public Optional<Removing> removing() {
    return status.removing();
  }

  /** Whether its deletion was asked for. */
  public boolean deleting() {
    return finalization.deleting();
  }

  /** Whether it belongs to this Host's present tenancy. */
  public boolean isOf(Host host) {
    return host.assignment().isPresent()
        && identity.tenancy() == host.tenancy()
        && identity.hostUid().equals(host.id().uid());
  }

  /** Whether SUNK holds it for a Slurm job, as its lock taint says. */
  public boolean locked() {
    return isTainted(NodeTaints.SUNK_LOCK);
  }

  /** Whether it is on its way out of its pool: marked, or drained. */
  public boolean isTerminating() {
    return removal.filter(Removal::isTerminating).isPresent();
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

  /** This Node under another version. */
  public Node withVersion(long next) {
    return new Node(identity, next, metadata, cordoned, removal, status, finalization);
  }

  /** This Node with other metadata. */
  public Node withMetadata(NodeMetadata next) {
    return new Node(identity, version, next, cordoned, removal, status, finalization);
  }

  /** This Node, cordoned or not. */
  public Node withCordoned(boolean next) {
    return new Node(identity, version, metadata, next, removal, status, finalization);
  }

  /** This Node, standing elsewhere on its way out. */
  public Node withRemoval(Optional<Removal> next) {
    return new Node(identity, version, metadata, cordoned, next, status, finalization);
  }

  /** This Node with another status. */
  public Node withStatus(Status next) {
    return new Node(identity, version, metadata, cordoned, removal, next, finalization);
  }

  /** This Node, its deletion asked for. */
  public Node withFinalization(Finalization next) {
    return new Node(identity, version, metadata, cordoned, removal, status, next);
  }
}
