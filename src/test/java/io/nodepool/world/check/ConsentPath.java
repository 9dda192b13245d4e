package io.nodepool.world.check;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.check.cause.CauseCheck;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.check.consent.EvictingRollouts;
import io.nodepool.world.check.consent.ImmediateRequests;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.consent.LeavingNodes;
import io.nodepool.world.check.consent.RecordedDrain;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Request;
import io.nodepool.world.operator.WatchStream;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Whether work may be interrupted: only by what belongs to the present request of a client, or by
 * an instant from outside. That is derived from what clients wrote on Nodes and pools, what fleets
 * announced on Hosts and what became of machines; of the operator's records only when a drain began
 * and ended is used, since a drain that has begun is not withdrawn, but for that of a rollout.
 *
 * <p>A consent counts if it stood at any time since the oldest moment that the sender of a request
 * may have taken for the present when it decided on it: so a request that is under way when a
 * consent ends is no violation, and one that is decided after its sender could know is one.
 */
public final class ConsentPath {
  private final OperatorViews views;
  private final WorldCluster cluster;
  private final Chronicle chronicle;
  private final TenantPods pods;
  private final LeavingNodes leaving = new LeavingNodes(CauseCheck.ALL);
  private final ImmediateRequests requests = new ImmediateRequests();
  private final EvictingRollouts rollouts = new EvictingRollouts();

  /** The last drain of each Node, by its UID. */
  private final Map<String, RecordedDrain> drains = new HashMap<>();

  /** UIDs of Nodes whose machines were stopped in a drain: nothing runs on them any more. */
  private final Set<String> stopped = new HashSet<>();

  /**
   * Whether the scheduler bound the Pod with this UID in time, so that the operator can know it.
   */
  private Predicate<String> isProtected = uid -> false;

  /**
   * If the operator's write takes effect now, the oldest moment that its sender may have taken for
   * the present.
   */
  private Optional<Instant> operatorWrites = Optional.empty();

  /** The drain that begins with the write that takes effect now. */
  private Optional<RecordedDrain> committed = Optional.empty();

  private Instant calm = Instant.MIN;

  ConsentPath(WorldCluster cluster, Chronicle chronicle, TenantPods pods, OperatorViews views) {
    this.views = views;
    this.cluster = cluster;
    this.chronicle = chronicle;
    this.pods = pods;
    cluster.watch(this::see, WorldCluster.Kind.NODES, WorldCluster.Kind.POOLS);
  }

  void protect(Predicate<String> next) {
    isProtected = next;
  }

  /** Since when an operator can observe everything. */
  void check(Instant calmSince) {
    calm = calmSince;
    rollouts.follow(cluster, chronicle.now(), calm);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.NodeGone(String _, String uid, long _)) {
      drains.remove(uid);
      stopped.remove(uid);
      requests.forget(uid);
    } else if (seen instanceof Observation.PoolGone(var id, long _)) {
      rollouts.gone(id.uid(), chronicle.now());
    } else if (seen instanceof Observation.NodeSeen || seen instanceof Observation.NodeUnreadable) {
      see(WatchStream.name(seen));
    } else if (seen instanceof Observation.PoolSeen || seen instanceof Observation.PoolUnreadable) {
      cluster
          .pool(WatchStream.name(seen))
          .ifPresent(pool -> rollouts.see(pool, operatorWrites, chronicle.now(), calm));
    }
  }

  private void see(String name) {
    Node node = cluster.nodes().get(name);
    if (node == null) {
      return;
    }
    Optional<RecordedDrain> drain = drain(node).filter(RecordedDrain::goesOn);
    boolean rebooting = drain.filter(each -> !each.leaves()).isPresent();
    requests.see(node, rebooting, chronicle.now(), calm);
    if (drain.isPresent() && !node.isCommitted()) {
      drains.put(node.uid(), drain.get().ended(chronicle.now()));
    }
  }

  /** Whether a user had started a rollout of the pool that went on when a request was decided. */
  boolean isRolledOut(String poolUid, Instant knownSince) {
    return rollouts.goesOn(poolUid, chronicle.known(knownSince));
  }

  /** Whether an alert that a boot heals was reported about a machine when a request was decided. */
  boolean isRepairDemanded(Node node, Instant knownSince) {
    return leaving.isRebootDemanded(leaving(node, chronicle.known(knownSince)));
  }

  private Optional<RecordedDrain> drain(Node node) {
    return Optional.ofNullable(drains.get(node.uid()));
  }

  /** The drain of a Node that goes on as far as the sender of a request can know. */
  private Optional<RecordedDrain> drain(Request request, Node node) {
    return drain(node).filter(each -> !each.endedAt().isBefore(since(request)));
  }

  /** Checks an intent before it takes effect. */
  void before(Request request, Action action) {
    committed =
        action instanceof Action.WriteNode commit && commit.isFor(NodePurpose.COMMIT)
            ? commits(request, commit)
            : Optional.empty();
    operatorWrites = Optional.of(since(request));
  }

  /** Records the effect of an intent. */
  void after(Action action, Answer<Observation> answer) {
    operatorWrites = Optional.empty();
    if (answer instanceof Answer.Done<Observation>
        && action instanceof Action.WriteNode commit
        && commit.isFor(NodePurpose.COMMIT)) {
      committed.ifPresent(drain -> drains.put(commit.nodeUid(), drain));
    }
  }

  /** The Node that a write commits the disruption of; empty if the write has no effect. */
  Optional<Node> nodeOf(Action.WriteNode commit) {
    return cluster
        .node(commit.node(), commit.nodeUid())
        .filter(node -> commit.precondition().equals(NodePrecondition.unchanged(node)));
  }

  /** A drain begins, or one that has begun is tightened: empty if the write has no effect. */
  private Optional<RecordedDrain> commits(Request request, Action.WriteNode commit) {
    Node node = nodeOf(commit).orElse(null);
    if (node == null) {
      return Optional.empty();
    }
    Disruption.Active active = commit.next().flatMap(Disruption::active).orElseThrow();
    long listed =
        views.of(request.sender).listing(node.uid()).map(OperatorView.Listing::at).orElse(-1L);
    Optional<Pod> work =
        pods.live(node)
            .filter(pod -> pod.interruption() == Pod.Interruption.NONE)
            .filter(pod -> pods.bound(pod) <= listed)
            .findFirst();
    hadTheirMinute(node, active, work.isPresent());
    boolean leaves = active instanceof Disruption.Committed next && next.isLeaving();
    Instant since = since(request);
    Set<Consent> consents = new HashSet<>(consents(node, leaves, since));
    Optional<RecordedDrain> last =
        drain(node).filter(RecordedDrain::goesOn).filter(each -> each.leaves() == leaves);
    if (last.isPresent()) {
      consents.addAll(last.get().consents());
      return Optional.of(
          new RecordedDrain(last.get().at(), leaves, last.get().listedAt(), consents, Instant.MAX));
    }
    Invariants.require(
        isDemanded(node, leaves, since),
        "the drain of Node {} begins, and nothing has demanded since {} that it {}",
        node.name(),
        since,
        leaves ? "leaves" : "is rebooted");
    work.ifPresent(pod ->
        Invariants.require(
            !consents.isEmpty(),
            "the drain of Node {} begins under {}: {}",
            node.name(),
            pod,
            nothing(node, leaves, since)));
    return Optional.of(new RecordedDrain(chronicle.now(), leaves, listed, consents, Instant.MAX));
  }

  /**
   * No repair begins within a minute of the first report of its own alert about the machine, and no
   * verification for it that ends work.
   */
  private void hadTheirMinute(Node node, Disruption.Active active, boolean endsWork) {
    Instant minute = chronicle.now().minus(Consent.shortest(Duration.ofMinutes(1)));
    active.causes().stream()
        .filter(cause -> !active.awaits(cause))
        .flatMap(cause ->
            endsWork && cause.what().isAlertVerification()
                ? Stream.of(cause.what().reference())
                : cause.what().repaired().stream().map(DisruptionCause.Repaired::alert))
        .forEach(alert ->
            chronicle
                .firstReported(
                    node.name(),
                    signal -> AlertCatalogue.shipped().alert(signal.name()).name().equals(alert))
                .ifPresent(first ->
                    Invariants.require(
                        !first.isAfter(minute),
                        "the repair of Node {} begins for {}, first reported at {}",
                        node.name(),
                        alert,
                        first)));
  }

  /** The oldest moment that the sender of a request may have taken for the present. */
  private Instant since(Request request) {
    return chronicle.known(request.knownSince);
  }

  private List<Consent> consents(Node node, boolean leaves, Instant since) {
    if (leaves) {
      return leaving.consents(leaving(node, since));
    }
    Stream<Consent> ofRollout =
        poolsOf(node, since).filter(p -> rollouts.evicts(p, since)).map(_ -> Consent.OF_ROLLOUT);
    Stream<Consent> ofRequest = Stream.concat(requests.consent(node).stream(), ofRollout);
    return Stream.concat(ofRequest, leaving.rebootConsents(leaving(node, since))).toList();
  }

  private LeavingNode leaving(Node node, Instant since) {
    return new LeavingNode(chronicle, node, since, calm);
  }

  private boolean isDemanded(Node node, boolean leaves, Instant since) {
    return leaves
        ? leaving.isDemanded(leaving(node, since))
        : requests.isRequested(node)
            || leaving.isRebootDemanded(leaving(node, since))
            || poolsOf(node, since).anyMatch(pool -> rollouts.goesOn(pool, since));
  }

  /** The pools that held the machine since then: its Host may be deleted meanwhile. */
  private Stream<String> poolsOf(Node node, Instant since) {
    return chronicle
        .host(node.name())
        .all(since)
        .flatMap(host -> host.assignment().stream())
        .map(held -> held.pool().uid())
        .distinct();
  }

  private String nothing(Node node, boolean leaves, Instant since) {
    return leaves
        ? "since %s no notice, no strategy and no loss of its pool or machine allows it"
            .formatted(since)
        : "since %s no rollout that evicts allows it, and %s".formatted(since, requests.text(node));
  }

  /** A request is about to end a Pod. */
  void ends(Request request, Pod pod, Node node, Action how) {
    Optional<RecordedDrain> drain = drain(request, node);
    Invariants.require(
        drain.isPresent(),
        "{} is evicted or deleted on Node {}, which is not being drained since {}",
        pod,
        node.name(),
        since(request));
    if (pods.isTenants(pod)) {
      isAllowed(request, pod, node, drain, how);
    }
  }

  /** A request is about to end all that runs on the machine of a Node. */
  void endsAll(Request request, Node node, Object how) {
    if (stopped.contains(node.uid())) {
      return;
    }
    Optional<RecordedDrain> drain = drain(request, node);
    pods.running(node).forEach(pod -> isAllowed(request, pod, node, drain, how));
    if (how instanceof HostOperation.Stop && drain.isPresent()) {
      stopped.add(node.uid());
    }
  }

  /** The interruption of a Pod is allowed, or its deletion was requested before. */
  private void isAllowed(
      Request request, Pod pod, Node node, Optional<RecordedDrain> drain, Object how) {
    if (pod.interruption() != Pod.Interruption.NONE || pod.deletedAt().isPresent()) {
      return;
    }
    Instant since = since(request);
    boolean late =
        drain.filter(each -> pods.bound(pod) > each.listedAt()).isPresent()
            && !isProtected.test(pod.uid());
    boolean leaves = drain.map(RecordedDrain::leaves).orElse(true);
    Invariants.require(
        late
            || drain.filter(each -> isConsented(each, node, since)).isPresent()
            || !consents(node, leaves, since).isEmpty(),
        "Pod {} runs on Node {} and is harmed by {}: {}",
        pod.uid(),
        node.name(),
        how,
        nothing(node, leaves, since));
  }

  /** Whether the drain of a Node may interrupt work. */
  boolean areGiven(Request request, Node node) {
    Instant since = since(request);
    return drain(node)
        .filter(drain ->
            isConsented(drain, node, since) || !consents(node, drain.leaves(), since).isEmpty())
        .isPresent();
  }

  /** Whether a consent that a drain began with still counts, whatever became of its reason. */
  private boolean isConsented(RecordedDrain drain, Node node, Instant since) {
    return drain.consents().stream()
        .anyMatch(consent ->
            switch (consent.term()) {
              case LASTS -> true;
              case ROLLOUT ->
                  poolsOf(node, since).anyMatch(pool -> rollouts.drains(pool, since, calm))
                      || !chronicle.now().isBefore(consent.forceAt(drain.at()));
              case ASKED -> false;
            });
  }

  /**
   * Whether the Node is drained to leave, as far as the sender of the request could know, or its
   * machine was stopped for that.
   */
  boolean isLeaving(Request request, Node node) {
    return stopped.contains(node.uid())
        || drain(request, node).filter(RecordedDrain::leaves).isPresent();
  }

  /**
   * Whether a Pod is not waited for after the deadline: its grace period is over, so its kubelet
   * had to end it by then, and its object may stay for any time; or it was bound later than that.
   */
  boolean isOver(Request request, Pod pod, Node node) {
    return isForced(request, node)
        && (pod.deletedAt().filter(ends -> !ends.isAfter(chronicle.now())).isPresent()
            || forcedAt(request, node).filter(pod.execution().boundAt()::isAfter).isPresent());
  }

  /** Whether budgets need not be asked any more on a Node. */
  boolean isForced(Request request, Node node) {
    return forcedAt(request, node).filter(at -> !chronicle.now().isBefore(at)).isPresent();
  }

  private Optional<Instant> forcedAt(Request request, Node node) {
    return drain(request, node)
        .flatMap(drain ->
            Stream.of(
                    drain.consents().stream()
                        .filter(consent -> consent.term() != Consent.Term.ASKED),
                    consents(node, drain.leaves(), since(request)).stream(),
                    leaving.announced(leaving(node, drain.at())))
                .flatMap(consents -> consents)
                .map(consent -> consent.forceAt(drain.at()))
                .min(Instant::compareTo));
  }
}
