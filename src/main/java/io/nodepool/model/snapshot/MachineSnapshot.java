package io.nodepool.model.snapshot;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.health.Health;
import io.nodepool.model.node.LiveRead;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.vocabulary.EventReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An immutable snapshot of one machine: its Host, its Node, the Pods on it, and its pool.
 *
 * @param node the Node of the Host's name, of any tenancy
 * @param bound the Pods bound to that Node
 * @param pool the pool that holds the Host, if it exists
 * @param metadata the metadata of that pool's spec to apply to the Node; empty while the pool is
 *     being deleted, and while a change of it is not published yet
 * @param evidence what this operator process found out about the Node's removal; lost when the
 *     process ends
 * @param offer the fleet's offer; empty while it cannot be read
 * @param health the active alerts about the machine
 */
@RecordBuilder
public record MachineSnapshot(
    Host host,
    Optional<Node> node,
    Bound bound,
    Optional<Pool> pool,
    Optional<NodeTemplate> metadata,
    Evidence evidence,
    Optional<FleetOffer> offer,
    Health health)
    implements MachineSnapshotCopy.With {
  /**
   * The Pods that are bound to a Node.
   *
   * @param pods ordered by UID
   * @param controlPlane names of the Namespaces of those Pods, and of listed ones, that belong to
   *     the control plane
   */
  public record Bound(List<Pod> pods, Set<String> controlPlane) {
    /** No Pod. */
    public static final Bound NONE = new Bound(List.of(), Set.of());

    public Bound {
      pods = List.copyOf(pods);
      controlPlane = Set.copyOf(controlPlane);
    }
  }

  /**
   * What the operator process found out about the removal of a Node.
   *
   * @param cordonSeen since when, by its own clock, this operator has observed both the admission
   *     and the cordon on the Node; empty while it does not observe both
   * @param listed the Pods bound to the Node by a live list; the Node has not changed since that
   *     list
   * @param tried the results of the last attempts to evict or delete, by the Pod's UID
   * @param ownerGone whether a live read found that the Node's owner does not exist: the pool that
   *     holds its Host, or the Host
   * @param liveRead the result of a live read, if the Node is not known
   * @param boot what this operator found out about the boot of the machine
   * @param requested what this operator found out about the request on the Node
   * @param preservedBeside how many other machines its pool keeps for inspection, or is about to
   *     keep; for a machine that it keeps already, how many stop before it
   * @param announcements the Events that this operator emitted about the Node
   * @param failing why the last writes for its removal failed; empty while none fails
   */
  @RecordBuilder
  public record Evidence(
      Optional<Instant> cordonSeen,
      Optional<Listing> listed,
      Map<String, Attempt> tried,
      boolean ownerGone,
      Optional<LiveRead> liveRead,
      Booting boot,
      Requested requested,
      int preservedBeside,
      Announcements announcements,
      Optional<String> failing)
      implements MachineSnapshotEvidenceCopy.With {
    /** No evidence. */
    public static final Evidence NONE =
        new Evidence(
            Optional.empty(),
            Optional.empty(),
            Map.of(),
            false,
            Optional.empty(),
            Booting.NONE,
            Requested.NONE,
            0,
            Announcements.NONE,
            Optional.empty());

    public Evidence {
      tried = Map.copyOf(tried);
    }
  }

  /**
   * The Events about states of a Node that the operator process emitted.
   *
   * @param last the last occasion, by the reason of its Event
   * @param stagedSince since when it has observed the configuration that the machine boots next;
   *     {@link Instant#MIN} if that was staged before
   * @param registers whether it has observed the Node before the registration
   */
  public record Announcements(
      Map<EventReason, String> last, Instant stagedSince, boolean registers) {
    /** Nothing. */
    public static final Announcements NONE = new Announcements(Map.of(), Instant.MIN, false);

    public Announcements {
      last = Map.copyOf(last);
    }
  }

  /**
   * What the operator process found out about the boot of a machine, and what follows it.
   *
   * @param seen since when, by its own clock, this operator has observed the decision to boot the
   *     machine anew, and then the last request to do so; empty if there is none
   * @param refused why the last such requests, or the last requests to stage its configuration,
   *     were refused; empty if they were not
   * @param job the last Job that verifies it; empty if none was read
   */
  public record Booting(Optional<Instant> seen, Optional<String> refused, Optional<SeenJob> job) {
    /** Nothing. */
    public static final Booting NONE =
        new Booting(Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * A live read of a Job.
   *
   * @param since when this operator read it first in this state
   * @param at when it read it last
   * @param gone how often it was missing before its end was read
   */
  public record SeenJob(VerificationJob job, Instant since, Instant at, int gone) {}

  /**
   * What the operator process found out about the request on a Node.
   *
   * @param times when the request and its policy were set, by a live read; the Node has not changed
   *     since that read
   * @param ended whether this operator observed the end of the request that the policy belonged to
   * @param aloneSince since when, by its own clock, this operator has observed the policy without
   *     any request; empty while it does not
   */
  public record Requested(
      Optional<RequestTimes> times, boolean ended, Optional<Instant> aloneSince) {
    /** Nothing. */
    public static final Requested NONE = new Requested(Optional.empty(), false, Optional.empty());
  }

  /** The Pods that a live list found, ordered by UID, and when. */
  public record Listing(List<Pod> pods, Instant at) {
    public Listing {
      pods = List.copyOf(pods);
    }
  }

  /**
   * An attempt to evict or delete a Pod.
   *
   * @param blockedBy the PodDisruptionBudget that refused it; empty if it was accepted
   */
  public record Attempt(Optional<String> blockedBy, Instant at) {}

  /** The Pods bound to its Node, ordered by UID. */
  public List<Pod> pods() {
    return bound.pods();
  }

  /** Names of the Namespaces of its Pods that belong to the control plane. */
  public Set<String> controlPlane() {
    return bound.controlPlane();
  }

  /** The organisation that the fleet's Nodes are for; empty while its offer cannot be read. */
  public Optional<String> organization() {
    return offer.map(FleetOffer::organization);
  }

  /** The Node of the Host's current tenancy. */
  public Optional<Node> presentNode() {
    return node.filter(seen -> seen.isOf(host));
  }
}
