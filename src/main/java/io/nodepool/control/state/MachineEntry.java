package io.nodepool.control.state;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.LiveLook;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Removal;
import io.nodepool.model.node.Workload;
import io.nodepool.plan.Action;
import io.nodepool.plan.RequestFailures;
import io.nodepool.plan.node.NodeActivity;
import io.nodepool.plan.report.MemberState;
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
 * What is known of one machine: its Host, its Node and the Pods bound to it. Lives on the decision
 * thread.
 */
public final class MachineEntry {
  final String name;
  @Nullable Host host;
  @Nullable Node node;

  /** Pods bound to the Node of this name, by UID. */
  private final TreeMap<String, Pod> pods = new TreeMap<>();

  /** It as a member of the pool that holds its Host; null while none does. */
  @Nullable Member member;

  /** When it may be another member although nothing happens. */
  Instant changesAt = Instant.MAX;

  /** When the graces of these Pods end. */
  final PodEndings endings = new PodEndings();

  /** The pool for which it takes up a place in its rack; empty text while it is free. */
  String rackHolder = "";

  /** Until when the Host is left alone after it refused an operation. */
  public Instant refusedUntil = Instant.MIN;

  /** What is awaited of the machine, in which tenancy, and since when. */
  private @Nullable Awaited awaited;

  private record Awaited(Member.Stage stage, int tenancy, Instant since) {}

  /** Since when the mark on the Node and its cordon have been seen. */
  private @Nullable Marking marking;

  private record Marking(String nodeUid, Removal mark, Instant since) {}

  /** The Pods that a live list found, of which version of the Node, and when by the clock. */
  private @Nullable Listed listed;

  private record Listed(String nodeUid, long nodeVersion, MachineSnapshot.Listing listing) {
    boolean isOf(Node node) {
      return nodeUid.equals(node.uid()) && nodeVersion == node.version();
    }
  }

  /** What came of the last attempts to evict or delete a Pod, by its UID. */
  private final Map<String, MachineSnapshot.Attempt> tried = new HashMap<>();

  /** What a live look found, where no Node of the present tenancy was known. */
  private @Nullable Looked looked;

  private record Looked(Observation.MachineLooked found, Instant at) {}

  /** The UID that a live read found not to exist any more: of the Host that the Node names. */
  String hostGone = "";

  /** A state of its Host or of its Node that cannot be read; null while it can. */
  @Nullable Unreadable unreadableHost;

  @Nullable Unreadable unreadableNode;

  /** A state of an object that cannot be read. */
  record Unreadable(String uid, long version, String why) {}

  /** The pool for which it counts although its Host was never read; empty text for none. */
  String unreadHolder = "";

  /** What was last said to be unreadable. */
  String unreadableSaid = "";

  /** What the API server answers to what the pool asks for on the Node, where it forbids it. */
  public @Nullable String refusal;

  /** Why the last writes that were to remove the Node failed, by what they were about. */
  private final Map<Action.Subject, String> troubles = new HashMap<>();

  /** Where it stood in its pool when that was last counted. */
  MemberState standing = MemberState.NONE;

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

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

  /** What of it cannot be read. */
  Optional<Unreadable> unreadable() {
    return Optional.ofNullable(unreadableHost).or(() -> Optional.ofNullable(unreadableNode));
  }

  /** Notes since when what the machine has to do next is awaited. */
  void await(Instant now) {
    Host seen = host;
    Member.Stage stage = seen == null ? null : stage(seen);
    if (seen == null || stage == null) {
      awaited = null;
    } else if (awaited == null || awaited.stage() != stage || awaited.tenancy() != seen.tenancy()) {
      awaited = new Awaited(stage, seen.tenancy(), now);
    }
  }

  /** Notes since when the Node has been marked and cordoned. */
  void watchMark(Instant now) {
    Node seen = node;
    Removal mark =
        seen != null && seen.cordoned() && seen.removal().orElse(null) instanceof Removal.Marked m
            ? m
            : null;
    if (seen == null || mark == null) {
      marking = null;
    } else if (marking == null
        || !marking.mark().equals(mark)
        || !marking.nodeUid().equals(seen.uid())) {
      marking = new Marking(seen.uid(), mark, now);
    }
    if (seen == null || !seen.isTerminating()) {
      listed = null;
      tried.clear();
    }
    if (seen == null) {
      troubles.clear();
      refusal = null;
    }
  }

  /** Notes why a write fails, or that it does not any more. Returns whether that is news. */
  boolean troubled(Action action, Optional<String> why, boolean denied) {
    Optional<RequestFailures.RemovalWrite> removal = RequestFailures.ofRemoval(action);
    if (removal.isPresent()) {
      Optional<String> next = why.map(each -> removal.get().what() + ": " + each);
      Optional<String> before = trouble();
      next.ifPresentOrElse(
          text -> troubles.put(action.subject(), text), () -> troubles.remove(action.subject()));
      return !trouble().equals(before);
    }
    boolean ofNode = action instanceof Action.ReportNode || action instanceof Action.ApplyMetadata;
    if (!ofNode || (why.isPresent() && !denied)) {
      return false;
    }
    boolean news = !Optional.ofNullable(refusal).equals(why);
    refusal = why.orElse(null);
    return news;
  }

  /** Takes in what a live list found, if it is about the Node as it is. */
  boolean listed(String nodeUid, long nodeVersion, List<Pod> found, Instant now) {
    Node seen = node;
    if (seen == null || !seen.uid().equals(nodeUid) || seen.version() != nodeVersion) {
      return false;
    }
    listed = new Listed(nodeUid, nodeVersion, new MachineSnapshot.Listing(found, now));
    return true;
  }

  /** Notes what came of an attempt to evict or delete a Pod. */
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

  /** A Pod is bound to it, or has another state. */
  void put(Pod pod) {
    pods.put(pod.uid(), pod);
  }

  /** A Pod is gone from the Node. Returns what was known of it. */
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
   * What was found out about the Node's removal.
   *
   * @param now the time, for graces
   * @param poolGone whether the pool that holds the Host is known not to exist; it says nothing
   *     about a Node of another Host
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
        look(now));
  }

  /** Whether its Node is of a Host that is not the one of this name, if there is one at all. */
  private boolean isLeftover() {
    Node joined = node;
    Host seen = host;
    return joined != null && (seen == null || !joined.hostUid().equals(seen.id().uid()));
  }

  private boolean isHostGone() {
    return node != null && hostGone.equals(node.hostUid());
  }

  private Member.@Nullable Stage stage(Host seen) {
    if (seen.assignment().isEmpty() || seen.power() == Host.Power.OFF) {
      return null;
    }
    Node joined = node != null && node.isOf(seen) ? node : null;
    if (joined != null && joined.isDraining()) {
      return null;
    }
    if (seen.is(HostPhase.RUNNING)) {
      return joined != null && joined.registered() ? null : Member.Stage.REGISTRATION;
    }
    return joined == null ? Member.Stage.DELIVERY : Member.Stage.OUTAGE;
  }

  /**
   * Its Host as a member of the pool that holds it, built anew; empty while none does.
   *
   * @param now the time, for graces
   */
  Optional<Member> built(Instant now, Namespaces namespaces) {
    return Optional.ofNullable(host)
        .filter(seen -> seen.assignment().isPresent())
        .map(seen -> built(seen, now, namespaces));
  }

  /** When it may be built otherwise although nothing happens: when the grace of a Pod ends. */
  Instant nextChange(Instant now) {
    Stream<Instant> graces =
        Stream.concat(
            node == null
                ? Stream.empty()
                : NodeActivity.nextChange(pods.values(), node, now).stream(),
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
                NodeActivity.workload(pods.values(), namespaces::mayBeControlPlane, joined, now))
            .orElse(Workload.NONE),
        Optional.ofNullable(underWay),
        Optional.ofNullable(awaited).map(each -> new Member.Waiting(each.stage(), each.since())),
        new Member.Findings(trouble(), unreadable().map(Unreadable::why), refused(), look(now)));
  }

  /** What the API server answered to us, or to the fleet that wanted to join the Node. */
  private Optional<String> refused() {
    Host seen = host;
    return Optional.ofNullable(refusal)
        .or(() ->
            Optional.ofNullable(seen)
                .map(each -> each.report().joinRefusal())
                .filter(why -> !why.isEmpty()));
  }

  /** Takes in what a live look at the machine found, if it is about its present tenancy. */
  boolean looked(Observation.MachineLooked found, Instant now) {
    Host seen = host;
    if (seen == null || !seen.id().equals(found.host()) || seen.tenancy() != found.tenancy()) {
      return false;
    }
    looked = new Looked(found, now);
    return true;
  }

  /** What the last look found; nothing once a Node of the present tenancy is known. */
  private Optional<LiveLook> look(Instant now) {
    Looked last = looked;
    Host seen = host;
    if (last == null || seen == null || last.found().tenancy() != seen.tenancy()) {
      return Optional.empty();
    }
    int live =
        (int)
            last.found().pods().stream().filter(pod -> NodeActivity.holdsMachine(pod, now)).count();
    return Optional.of(new LiveLook(last.found().nodeFound(), live, last.at()));
  }
}
