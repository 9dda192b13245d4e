package io.nodepool.control.state;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.node.NodeActivity;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

  /** Where it is counted as a busy Node whose Host does not exist; null while it is none. */
  @Nullable WithoutHost withoutHost;

  /** A busy Node whose Host does not exist, of the pool with this UID. */
  record WithoutHost(String poolUid, String nodeUid) {}

  /**
   * When the member, or whether a Node without a Host is busy, may change without an observation.
   */
  Instant changesAt = Instant.MAX;

  /** When the grace periods of these Pods end. */
  final PodEndings endings = new PodEndings();

  /** The UID of the pool for which it occupies a place in its rack; empty while it is free. */
  String rackHolder = "";

  /** Until when the Host must not be used after it refused an operation. */
  public Instant refusedUntil = Instant.MIN;

  /** The stage that the machine is in, in which tenancy, and since when. */
  private @Nullable Awaited awaited;

  private record Awaited(Member.Stage stage, int tenancy, Instant since) {}

  /** Since when the mark on the Node and its cordon have been observed. */
  private @Nullable Marking marking;

  private record Marking(String nodeUid, int sequence, Instant since) {}

  /** Since when the last decision or request to boot the machine anew has been observed. */
  private @Nullable BootWatch bootWatch;

  private record BootWatch(String operation, int attempt, Instant since) {}

  /** What was observed of the request on the Node. */
  final RequestWatch requests = new RequestWatch();

  /** The Pods that a live list returned, with the version of the Node and the time. */
  private @Nullable Listed listed;

  private record Listed(String nodeUid, long nodeVersion, MachineSnapshot.Listing listing) {
    boolean isOf(Node node) {
      return nodeUid.equals(node.uid()) && nodeVersion == node.version();
    }
  }

  /** The result of the last attempt to evict or delete each Pod, by its UID. */
  private final Map<String, MachineSnapshot.Attempt> tried = new HashMap<>();

  /** The result of the last live read, if no Node of the present tenancy was observed. */
  private @Nullable Looked looked;

  private record Looked(Observation.MachineLooked found, Instant at) {}

  /** The UID of the Host that the Node names, if a live read found that it no longer exists. */
  String hostGone = "";

  /** The unreadable state of its Host or Node; null while both can be read. */
  @Nullable Unreadable unreadableHost;

  @Nullable Unreadable unreadableNode;

  /** A state of an object that cannot be read. */
  record Unreadable(String uid, long version, String why) {}

  /** The UID of the pool that it counts for although its Host was never read; empty for none. */
  String unreadHolder = "";

  /** The unreadable state that was last reported. */
  String unreadableSaid = "";

  /**
   * The API server's error for the metadata that the pool sets on the Node, if it denies it; else
   * null.
   */
  public @Nullable String refusal;

  private @Nullable String stagingFailure;

  /**
   * Why the last requests to boot the machine anew, or to stage what it boots then, were refused;
   * null if they were not.
   */
  private @Nullable String bootRefusal;

  /** Why the last writes for the Node's removal failed, by object. */
  private final Map<Action.Subject, String> troubles = new HashMap<>();

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

  /** The UID of the Node that a write under way cordons; empty without one. */
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

  /** The name of the pool that holds its Host. */
  public Optional<String> holder() {
    return Optional.ofNullable(host).flatMap(Host::assignment).map(held -> held.pool().name());
  }

  /** The part of it that cannot be read. */
  Optional<Unreadable> unreadable() {
    return Optional.ofNullable(unreadableHost).or(() -> Optional.ofNullable(unreadableNode));
  }

  /** Records since when the machine has been in its present stage. */
  void await(Instant now) {
    Host seen = host;
    Member.Stage stage = seen == null ? null : stage(seen);
    if (seen == null || stage == null) {
      awaited = null;
    } else if (awaited == null || awaited.stage() != stage || awaited.tenancy() != seen.tenancy()) {
      awaited = new Awaited(stage, seen.tenancy(), now);
    }
  }

  /**
   * Records since when the last request to boot the machine anew has been observed, or the decision
   * before it: the Node is in the state of its reboot. So the time counts, whether or not the
   * request can be written.
   */
  void watchBoot(Instant now) {
    Optional<BootRequest> request = Optional.ofNullable(host).flatMap(Host::boot);
    BootWatch next =
        decidedBoot()
            .filter(operation -> request.filter(asked -> asked.isOf(operation)).isEmpty())
            .map(operation -> new BootWatch(operation, 0, now))
            .or(() -> request.map(asked -> new BootWatch(asked.operation(), asked.attempt(), now)))
            .orElse(null);
    BootWatch last = bootWatch;
    boolean same =
        next != null
            && last != null
            && last.attempt() == next.attempt()
            && last.operation().equals(next.operation());
    bootWatch = same ? last : next;
  }

  /** The operation of the reboot that is decided: its Node is drained, and in its state. */
  private Optional<String> decidedBoot() {
    Node joined = node;
    return joined != null
            && joined.disruption().orElse(null) instanceof Disruption.Committed reboot
            && !reboot.isLeaving()
            && joined
                .metadata()
                .label(NodeLabels.STATE)
                .equals(RebootRequest.stateOf(reboot.causes()).word())
        ? Optional.of(RebootRequest.operation(joined, reboot))
        : Optional.empty();
  }

  /** Records since when the Node has been marked and cordoned. */
  void watchMark(Instant now) {
    Node seen = node;
    Disruption.Admitted mark =
        seen != null
                && seen.cordoned()
                && seen.disruption().orElse(null) instanceof Disruption.Admitted admitted
            ? admitted
            : null;
    if (seen == null || mark == null) {
      marking = null;
    } else if (marking == null
        || marking.sequence() != mark.sequence()
        || !marking.nodeUid().equals(seen.uid())) {
      marking = new Marking(seen.uid(), mark.sequence(), now);
    }
    if (seen == null || !seen.isTerminating()) {
      listed = null;
      bootRefusal = null;
      tried.clear();
    }
    if (seen == null) {
      troubles.clear();
      refusal = null;
      stagingFailure = null;
    }
  }

  /** Records why a write fails, or that it no longer fails. Returns whether that changed. */
  boolean troubled(Action action, Optional<String> why, boolean denied) {
    Optional<String> removal = action.traits().removal();
    if (removal.isPresent()) {
      Optional<String> next = why.map(each -> removal.get() + ": " + each);
      Optional<String> before = trouble();
      next.ifPresentOrElse(
          text -> troubles.put(action.subject(), text), () -> troubles.remove(action.subject()));
      return !trouble().equals(before);
    }
    if (action instanceof Action.OnHost(HostOperation.Stage _)) {
      boolean changes = !staging().equals(why);
      stagingFailure = why.orElse(null);
      if (decidedBoot().isPresent()) {
        // What a reboot boots is staged before it is requested, and nothing else meanwhile.
        bootRefusal = stagingFailure;
      }
      return changes;
    }
    if (action instanceof Action.OnHost(HostOperation.Boot _)) {
      bootRefusal = why.orElse(null);
      return false;
    }
    boolean ofNode =
        action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.REPORT_ACTIVITY, NodePurpose.APPLY_METADATA);
    if (!ofNode || (why.isPresent() && !denied)) {
      return false;
    }
    boolean news = !Optional.ofNullable(refusal).equals(why);
    refusal = why.orElse(null);
    return news;
  }

  /** Why the last write failed that was to stage a configuration; empty if it did not. */
  Optional<String> staging() {
    return Optional.ofNullable(stagingFailure);
  }

  /** Records the result of a live list, if it is about the Node's present version. */
  boolean listed(String nodeUid, long nodeVersion, List<Pod> found, Instant now) {
    Node seen = node;
    if (seen == null || !seen.uid().equals(nodeUid) || seen.version() != nodeVersion) {
      return false;
    }
    listed = new Listed(nodeUid, nodeVersion, new MachineSnapshot.Listing(found, now));
    return true;
  }

  /** Records the result of an attempt to evict or delete a Pod. */
  void tried(String podUid, Optional<String> blockedBy, Instant now) {
    tried.put(podUid, new MachineSnapshot.Attempt(blockedBy, now));
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
    tried.remove(podUid);
    endings.forget(podUid);
    troubles
        .keySet()
        .removeIf(about -> about instanceof Action.Subject.OfPod pod && pod.uid().equals(podUid));
    return last;
  }

  /** Why the Node cannot be removed at present; empty while nothing fails. */
  public Optional<String> trouble() {
    return troubles.values().stream().min(String::compareTo);
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
        Optional.ofNullable(marking).filter(_ -> leaving.isPresent()).map(Marking::since),
        Optional.ofNullable(listed)
            .filter(each -> leaving.filter(each::isOf).isPresent())
            .map(Listed::listing),
        leaving.isPresent() ? tried : Map.of(),
        ownerGone,
        look(now),
        Optional.ofNullable(bootWatch).map(BootWatch::since),
        Optional.ofNullable(bootRefusal),
        requests.requested(seen));
  }

  /**
   * The Node, if it has tenant work and its Host does not exist.
   *
   * @param now the time, for grace periods
   */
  Optional<Node> busyWithoutHost(Instant now, Namespaces namespaces) {
    return Optional.ofNullable(node)
        .filter(_ -> isLeftover() && unreadable().isEmpty())
        .filter(joined ->
            NodeActivity.workload(pods.values(), namespaces::mayBeControlPlane, joined, now)
                .isBusy());
  }

  /** Whether its Node belongs to another Host than the one of this name, which may not exist. */
  private boolean isLeftover() {
    Node joined = node;
    Host seen = host;
    return joined != null && (seen == null || !joined.hostUid().equals(seen.id().uid()));
  }

  private boolean isHostGone() {
    return node != null && hostGone.equals(node.hostUid());
  }

  /** Whether a machine to reboot runs, or failed in its reboot, which is found at once. */
  private static boolean isBooting(Host seen) {
    return seen.is(HostPhase.RUNNING) || seen.is(HostPhase.FAILED);
  }

  private Member.@Nullable Stage stage(Host seen) {
    if (seen.assignment().isEmpty() || seen.power() == Host.Power.OFF) {
      return null;
    }
    Node joined = node != null && node.isOf(seen) ? node : null;
    if (joined != null && joined.isDraining()) {
      return null;
    }
    if (joined != null && joined.isCommitted()) {
      return isBooting(seen) ? null : Member.Stage.OUTAGE;
    }
    if (seen.is(HostPhase.RUNNING)) {
      return joined != null && joined.registered() ? null : Member.Stage.REGISTRATION;
    }
    return joined == null ? Member.Stage.DELIVERY : Member.Stage.OUTAGE;
  }

  /**
   * Builds the machine as a member of the pool that holds its Host; empty while none does.
   *
   * @param now the time, for grace periods
   */
  Optional<Member> built(Instant now, Namespaces namespaces) {
    return Optional.ofNullable(host)
        .filter(seen -> seen.assignment().isPresent())
        .map(seen -> built(seen, now, namespaces));
  }

  /**
   * When the member may change without an observation: when a Pod's grace period ends, or the time
   * for which its Node is passed over.
   */
  Instant nextChange(Instant now) {
    Stream<Instant> ofNode =
        node == null
            ? Stream.empty()
            : Stream.concat(
                NodeActivity.nextChange(pods.values(), node, now).stream(),
                node.passedOverUntil(now).stream());
    Stream<Instant> graces =
        Stream.concat(
            ofNode,
            looked == null
                ? Stream.empty()
                : looked.found().pods().stream().flatMap(pod -> pod.deletedAt().stream()));
    return graces.filter(ends -> ends.isAfter(now)).min(Instant::compareTo).orElse(Instant.MAX);
  }

  private Member built(Host seen, Instant now, Namespaces namespaces) {
    Optional<Node> present = Optional.ofNullable(node).filter(joined -> joined.isOf(seen));
    return new Member(
            seen,
            present,
            present
                .map(joined ->
                    NodeActivity.workload(
                        pods.values(), namespaces::mayBeControlPlane, joined, now))
                .orElse(Workload.NONE),
            Optional.ofNullable(underWay),
            Optional.ofNullable(awaited)
                .map(each -> new Member.Waiting(each.stage(), each.since())),
            new Member.Findings(
                trouble(),
                unreadable().map(Unreadable::why),
                refused(),
                look(now),
                staging(),
                present.filter(this::wasIntroduced).isPresent()),
            present.filter(joined -> joined.uid().equals(cordoning)).isPresent())
        .asOf(now);
  }

  private boolean wasIntroduced(Node joined) {
    return joined.registered()
        || member
            .filter(Member::isIntroduced)
            .flatMap(Member::node)
            .filter(last -> last.uid().equals(joined.uid()))
            .isPresent();
  }

  /** The API server's error for the operator, or for the fleet when it joined the Node. */
  private Optional<String> refused() {
    Host seen = host;
    return Optional.ofNullable(refusal)
        .or(() ->
            Optional.ofNullable(seen)
                .map(each -> each.report().joinRefusal())
                .filter(why -> !why.isEmpty()));
  }

  /** Records the result of a live read of the machine, if it is about its present tenancy. */
  boolean looked(Observation.MachineLooked found, Instant now) {
    Host seen = host;
    if (seen == null || !seen.id().equals(found.host()) || seen.tenancy() != found.tenancy()) {
      return false;
    }
    looked = new Looked(found, now);
    return true;
  }

  /** The result of the last live read; empty once a Node of the present tenancy was observed. */
  private Optional<MachineSnapshot.LiveLook> look(Instant now) {
    Looked last = looked;
    Host seen = host;
    if (last == null || seen == null || last.found().tenancy() != seen.tenancy()) {
      return Optional.empty();
    }
    int live =
        (int)
            last.found().pods().stream().filter(pod -> NodeActivity.holdsMachine(pod, now)).count();
    return Optional.of(new MachineSnapshot.LiveLook(last.found().nodeFound(), live, last.at()));
  }
}
