package io.nodepool.control.state;

import io.nodepool.control.state.machine.HealthWatch;
import io.nodepool.control.state.machine.LiveReads;
import io.nodepool.control.state.machine.MachineWatch;
import io.nodepool.control.state.machine.PodEndings;
import io.nodepool.control.state.machine.RequestWatch;
import io.nodepool.control.state.machine.WriteTroubles;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.node.NodeActivity;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The state of one machine: its Host, its Node and the Pods bound to it. Confined to the decision
 * thread.
 */
public final class MachineEntry {
  final String name;
  @Nullable Host host;
  @Nullable Node node;

  /** Pods bound to the Node of this name, by UID. */
  private final TreeMap<String, Pod> pods = new TreeMap<>();

  /** The machine as it was last counted as a member of the pool that holds its Host. */
  Optional<Member> member = Optional.empty();

  /** The Node as it is counted if it is busy and its Host does not exist; null otherwise. */
  @Nullable WithoutHost withoutHost;

  /** A busy Node whose Host does not exist, of the pool with this UID. */
  record WithoutHost(String poolUid, String nodeUid) {}

  /**
   * When the member, or whether a Node without a Host is busy, may change without an observation.
   */
  Instant changesAt = Instant.MAX;

  /** When the grace periods of the Pods end. */
  final PodEndings endings = new PodEndings();

  /** The UID of the pool for which it occupies a place in its rack; empty if there is none. */
  String rackHolder = "";

  /** Until when the Host must not be used after it refused an operation. */
  public Instant refusedUntil = Instant.MIN;

  /** Since when each awaited step has been observed. */
  final MachineWatch watch = new MachineWatch();

  /** The signals about it as observed, and its active alerts. */
  final HealthWatch health = new HealthWatch();

  /** The repairs that its active alerts need. */
  NeededRepairs needed = NeededRepairs.NONE;

  /** Observations of the request on the Node. */
  final RequestWatch requests = new RequestWatch();

  /** Results of live reads and of attempts to remove its Pods. */
  final LiveReads reads = new LiveReads();

  /** The UID of the Host that the Node names, if a live read found that it no longer exists. */
  String hostGone = "";

  /** The unreadable state of its Host or Node; null while both can be read. */
  @Nullable Unreadable unreadableHost;

  @Nullable Unreadable unreadableNode;

  /** A state of an object that cannot be read. */
  record Unreadable(String uid, String why) {}

  /**
   * The UID of the pool that it counts for although its Host was never read; empty if there is
   * none.
   */
  String unreadHolder = "";

  /** The unreadable state that was last reported. */
  String unreadableSaid = "";

  /** Why writes on the machine fail. */
  public final WriteTroubles troubles = new WriteTroubles();

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

  /** The UID of the Node that a write under way cordons; empty if there is none. */
  String cordoning = "";

  MachineEntry(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return host == null
        && node == null
        && unreadableHost == null
        && unreadableNode == null
        && pods.isEmpty()
        && underWay == null;
  }

  /** The name of the pool that holds its Host, or that its Node names; empty if there is none. */
  public Optional<String> poolName() {
    return Optional.ofNullable(host)
        .flatMap(Host::assignment)
        .map(held -> held.pool().name())
        .or(() ->
            Optional.ofNullable(node)
                .map(each -> each.metadata().label(NodeLabels.NODE_POOL))
                .filter(name -> !name.isEmpty()));
  }

  /** The disruption of its Node with this UID; empty if there is none. */
  public Optional<Disruption.Active> disruption(String nodeUid) {
    return Optional.ofNullable(node)
        .filter(each -> each.uid().equals(nodeUid))
        .flatMap(Node::disruption)
        .flatMap(Disruption::active);
  }

  /** The last request to boot its machine anew. */
  public Optional<BootRequest> boot() {
    return Optional.ofNullable(host).flatMap(Host::boot);
  }

  /** The part of it that cannot be read. */
  Optional<Unreadable> unreadable() {
    return Optional.ofNullable(unreadableHost).or(() -> Optional.ofNullable(unreadableNode));
  }

  /** Its Node, as the object of an Event; empty if there is none. */
  public Optional<EventDraft.Regarding> regarding() {
    return Optional.ofNullable(node).map(EventDraft.Regarding::of);
  }

  /** Observes a change of its Node. */
  void nodeChanged(Instant now) {
    watch.changed(node, now);
    troubles.changed(node);
    reads.changed(node);
  }

  /** Its Pods whose last eviction a PodDisruptionBudget refused. */
  Stream<Pod> blocked() {
    return pods.values().stream()
        .filter(pod ->
            Optional.ofNullable(reads.tried().get(pod.uid()))
                .flatMap(MachineSnapshot.Attempt::blockedBy)
                .isPresent());
  }

  /** Its Pods, in order of their UIDs. */
  Collection<Pod> pods() {
    return Collections.unmodifiableCollection(pods.values());
  }

  /** A Pod that is bound to it. */
  @Nullable Pod pod(String uid) {
    return pods.get(uid);
  }

  /** Adds or updates a Pod that is bound to it. */
  void put(Pod pod) {
    pods.put(pod.uid(), pod);
  }

  /** Removes a Pod. Returns its last state. */
  @Nullable Pod ended(String podUid) {
    Pod last = pods.remove(podUid);
    if (last == null) {
      return null;
    }
    reads.forget(podUid);
    endings.forget(podUid);
    troubles.ended(podUid);
    return last;
  }

  /**
   * The evidence for decisions about the Node's removal.
   *
   * @param now the time, for grace periods
   * @param poolGone whether the pool that holds the Host is known not to exist; ignored for a Node
   *     of another Host
   */
  MachineSnapshot.Evidence evidence(Instant now, boolean poolGone) {
    Node seen = node;
    boolean ownerGone = isLeftover() ? isHostGone() : poolGone;
    Optional<Node> leaving = Optional.ofNullable(seen).filter(Node::isTerminating);
    return new MachineSnapshot.Evidence(
        watch.cordonSeen().filter(_ -> leaving.isPresent()),
        leaving.flatMap(reads::listing),
        leaving.isPresent() ? reads.tried() : Map.of(),
        ownerGone,
        reads.liveRead(host, now),
        watch.booting(troubles.boot()),
        requests.requested(seen),
        0,
        watch.announcements(seen),
        troubles.ofDisruption().filter(each -> !each.ofReboot()).map(Member.Trouble::why));
  }

  /**
   * The Node, if it has tenant work and its Host does not exist.
   *
   * @param now the time, for grace periods
   * @param controlPlane whether Pods of a Namespace are no tenant work
   */
  Optional<Node> busyWithoutHost(Instant now, Predicate<String> controlPlane) {
    return Optional.ofNullable(node)
        .filter(_ -> isLeftover() && unreadable().isEmpty())
        .filter(joined -> NodeActivity.workload(pods.values(), controlPlane, joined, now).isBusy());
  }

  /**
   * Whether its Node belongs to another Host than that of this name, or no Host of this name
   * exists.
   */
  private boolean isLeftover() {
    Node joined = node;
    Host seen = host;
    return joined != null && (seen == null || !joined.hostUid().equals(seen.id().uid()));
  }

  private boolean isHostGone() {
    return node != null && hostGone.equals(node.hostUid());
  }

  /**
   * Builds the machine as a member of the pool that holds its Host; empty while none does.
   *
   * @param now the time, for grace periods
   * @param controlPlane whether Pods of a Namespace are no tenant work
   */
  Optional<Member> built(Instant now, Predicate<String> controlPlane) {
    return Optional.ofNullable(host)
        .filter(seen -> seen.assignment().isPresent())
        .map(seen -> built(seen, now, controlPlane));
  }

  /**
   * When the member may change without an observation: when a Pod's grace period ends, when its
   * Node is no longer passed over, or when its fleet's reading of its power is out of date.
   */
  Instant nextChange(Instant now) {
    Stream<Instant> ofNode =
        Stream.ofNullable(node)
            .flatMap(joined ->
                Stream.concat(
                    NodeActivity.nextChange(pods.values(), joined, now).stream(),
                    joined.passedOverUntil(now).stream()));
    Stream<Instant> ofHost = Stream.ofNullable(host).flatMap(seen -> seen.staleAt(now).stream());
    return Stream.of(ofNode, reads.graceEnds(), ofHost)
        .flatMap(each -> each)
        .filter(ends -> ends.isAfter(now))
        .min(Instant::compareTo)
        .orElse(Instant.MAX);
  }

  private Member built(Host seen, Instant now, Predicate<String> controlPlane) {
    Optional<Node> present = Optional.ofNullable(node).filter(joined -> joined.isOf(seen));
    return new Member(
        seen,
        present,
        present
            .map(joined -> NodeActivity.workload(pods.values(), controlPlane, joined, now))
            .orElse(Workload.NONE),
        Optional.ofNullable(underWay),
        watch.waiting(),
        new Member.Findings(
            troubles.ofDisruption(),
            unreadable().map(Unreadable::why),
            refused(),
            reads.liveRead(host, now),
            troubles.staging(),
            present.filter(this::everRegistered).isPresent(),
            present.isPresent() ? needed : NeededRepairs.NONE,
            seen.hold(now),
            seen.mayStillRun(now)),
        present.filter(joined -> joined.uid().equals(cordoning)).isPresent(),
        present.flatMap(joined -> joined.passedOverUntil(now)));
  }

  private boolean everRegistered(Node joined) {
    return joined.registered()
        || member
            .filter(Member::wasRegistered)
            .flatMap(Member::node)
            .filter(last -> last.uid().equals(joined.uid()))
            .isPresent();
  }

  /** The API server's error for the operator, or for the fleet when it joined the Node. */
  private Optional<String> refused() {
    Host seen = host;
    return troubles
        .refusal()
        .or(() ->
            Optional.ofNullable(seen)
                .map(each -> each.report().joinRefusal())
                .filter(why -> !why.isEmpty()));
  }
}
