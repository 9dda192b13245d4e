package io.nodepool.model.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A Node that a Host of the fleet joined as, with the facts that decisions use.
 *
 * @param version grows with every change of the object
 * @param metadata its labels, annotations and taints
 * @param cordoned whether it is unschedulable
 * @param disruption the recorded stage of its disruption; empty if none is recorded
 */
@RecordBuilder
public record Node(
    Identity identity,
    long version,
    NodeMetadata metadata,
    boolean cordoned,
    Optional<Disruption> disruption,
    NodeStatus status,
    Finalization finalization)
    implements NodeCopy.With {
  /** The prefix of the names of operations for recorded reboots. */
  public static final String OF_REBOOT = "reboot/";

  /**
   * The identity of a Node and of its machine, which does not change while the Node exists.
   *
   * @param hostUid UID of the Host that joined as this Node
   * @param tenancy the tenancy of the Host that the Node belongs to
   */
  public record Identity(String name, String uid, Instant createdAt, String hostUid, int tenancy) {}

  /**
   * The conditions of a Node about its lifecycle (contract §10, §12).
   *
   * @param phase the reason of PhaseState while it is True; empty text otherwise
   * @param pending PendingPhaseState: clients request a phase by its reason, and read there the
   *     result of the request; empty if it is not set
   * @param rebooting whether NLCCImmediateReboot is True
   */
  @RecordBuilder
  public record Lifecycle(String phase, Optional<NodeStatus.Entry> pending, boolean rebooting)
      implements NodeLifecycleCopy.With {
    /** A Node in production, for which nothing is pending. */
    public static final Lifecycle PRODUCTION =
        new Lifecycle(LifecycleState.PRODUCTION.word(), Optional.empty(), false);
  }

  /**
   * The deletion of a Node object, and what blocks it.
   *
   * @param deleting whether its deletion was requested; the object exists until its finalizers are
   *     removed
   * @param finalizers the finalizers that keep the object while it is being deleted
   */
  public record Finalization(boolean deleting, List<String> finalizers) {
    /** The deletion was not requested. */
    public static final Finalization NONE = new Finalization(false, List.of());

    public Finalization {
      finalizers = List.copyOf(finalizers);
    }
  }

  /** Whether a Node has tenant work, and the message of CWActive. */
  public record Activity(boolean active, String message) {}

  /** The reason and message of CWNodeRemoval. */
  public record Removing(NodeRemovalReason reason, String message) {}

  /** This Node, whose metadata record may contain only these reserved keys. */
  public Node allowing(KeyExceptions exceptions) {
    Optional<NodeTemplate> allowed =
        metadata.applied().map(applied -> applied.allowing(exceptions));
    return allowed.equals(metadata.applied()) ? this : withMetadata(metadata.withApplied(allowed));
  }

  /** Its name, which is its Host's. */
  public String name() {
    return identity.name();
  }

  /** Its UID. */
  public String uid() {
    return identity.uid();
  }

  /** UID of the Host that joined as this Node. */
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

  /** CWActive; empty while it is not set. */
  public Optional<Activity> activity() {
    return status.activity();
  }

  /** Whether CWActive is True. */
  public boolean isReportedActive() {
    return activity().filter(Activity::active).isPresent();
  }

  /** CWNodeRemoval while it is True. */
  public Optional<Removing> removing() {
    return status.removing();
  }

  /** The conditions about its machine's health. */
  public NodeAlerts alerts() {
    return status.alerts();
  }

  /** Whether its deletion was requested. */
  public boolean deleting() {
    return finalization.deleting();
  }

  /** Whether it belongs to this Host's current tenancy. */
  public boolean isOf(Host host) {
    return host.assignment().isPresent()
        && identity.tenancy() == host.tenancy()
        && identity.hostUid().equals(host.id().uid());
  }

  /** Whether SUNK's lock taint reserves it for a Slurm job. */
  public boolean locked() {
    return isTainted(NodeTaints.SUNK_LOCK);
  }

  /** Its disruption under way: its removal or reboot is admitted or committed. */
  public Optional<Disruption.Active> activeDisruption() {
    return disruption.flatMap(Disruption::active);
  }

  /** Whether it is disrupted: its removal or reboot is admitted or committed. */
  public boolean isTerminating() {
    return activeDisruption().isPresent();
  }

  /** Its disruption, if it is committed: the Node is drained, to leave or to be rebooted. */
  public Optional<Disruption.Committed> commitment() {
    return disruption.flatMap(Disruption::commitment);
  }

  /** Its last disruption, if it is over. */
  public Optional<Disruption.PassedOver> passedOver() {
    return disruption.orElse(null) instanceof Disruption.PassedOver passed
        ? Optional.of(passed)
        : Optional.empty();
  }

  /**
   * Whether tenants can use it: registered, Ready, not cordoned, in production, and nothing
   * disrupts it.
   */
  public boolean isAvailable() {
    String state = metadata.label(NodeLabels.STATE);
    return registered()
        && ready()
        && !cordoned
        && !isTerminating()
        && !deleting()
        && (state.isEmpty() || state.equals(LifecycleState.PRODUCTION.word()));
  }

  /** Whether its disruption is committed: it is drained, to leave or to be rebooted. */
  public boolean isCommitted() {
    return commitment().isPresent();
  }

  /** Whether its drain has begun, so that its removal is not withdrawn any more. */
  public boolean isDraining() {
    return commitment().filter(Disruption.Committed::isLeaving).isPresent();
  }

  /**
   * The name that all attempts of a committed reboot share. Its instant keeps it unique even if
   * another client removed the record, so that the number is used again.
   */
  public String operation(Disruption.Committed reboot) {
    return OF_REBOOT + identity.uid() + "/" + reboot.name();
  }

  /** When the last requested reboot or verification ended; empty if it did not end. */
  Optional<Instant> endedAt(BootRequest last) {
    return passedOver().filter(each -> isOf(last, each.sequence())).map(Disruption::at);
  }

  /** Whether this boot was requested in the Node's disruption with this number. */
  public boolean isOf(BootRequest request, int sequence) {
    return request.operation().startsWith(OF_REBOOT + identity.uid() + "/" + sequence + "/");
  }

  /** Whether its user keeps its machine from being repaired. */
  public boolean refusesRepair() {
    return NodeAnnotations.OFF.equals(metadata.annotations().get(NodeAnnotations.REPAIR.key()));
  }

  /** The reboot from which its machine did not come back, as marked; empty if there is none. */
  public Optional<String> failedReboot() {
    return Optional.ofNullable(metadata.annotations().get(NodeAnnotations.REBOOT_FAILED.key()))
        .filter(mark -> commitment().filter(reboot -> reboot.name().equals(mark)).isPresent());
  }

  /** Until when it is not chosen again; empty if it may be chosen now. */
  public Optional<Instant> passedOverUntil(Instant now) {
    return disruption.map(Disruption::passedOverUntil).filter(until -> until.isAfter(now));
  }

  /** Its last turn in a rollout, if its boot could not be requested; empty otherwise. */
  public Optional<Disruption.PassedOver> turnWithoutBoot() {
    return passedOver().filter(passed -> !passed.unmet().isEmpty());
  }

  /** Whether its reboot or verification is pending or under way. */
  public boolean isOutOfService() {
    return activeDisruption()
        .filter(active -> active.causes().stream().anyMatch(cause -> !cause.leaves()))
        .isPresent();
  }

  /** Whether it carries a taint of this key. */
  public boolean isTainted(NodeTaints taint) {
    return metadata.taints().stream().anyMatch(seen -> seen.key().equals(taint.key()));
  }

  /** Whether a client requested its removal by the label (contract §7). */
  public boolean isRemovalRequested() {
    return metadata.label(NodeLabels.REMOVE_NODE).equals("true");
  }

  /**
   * The value of the taint by which the Cluster Autoscaler requests its removal: the second at
   * which the taint was set, so that it differs each time.
   */
  public Optional<String> autoscalerTaint() {
    return metadata.taints().stream()
        .filter(seen -> seen.key().equals(NodeTaints.AUTOSCALER_DELETION.key()))
        .map(Taint::value)
        .findFirst();
  }

  /** UID of the pool in its label; empty text if it has no such label. */
  public String poolUid() {
    return metadata.label(NodeLabels.NODE_POOL_UID);
  }

  /** This Node with another stage of its disruption, without the text of the last record. */
  @Override
  public Node withDisruption(Optional<Disruption> next) {
    return new Node(
        identity, version, metadata.withoutRecordText(), cordoned, next, status, finalization);
  }
}
