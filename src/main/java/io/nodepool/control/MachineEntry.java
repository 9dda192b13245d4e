package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.MachineSnapshot;
import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.Pod;
import io.nodepool.model.Removal;
import io.nodepool.model.Workload;
import io.nodepool.plan.Action;
import io.nodepool.plan.Activity;
import io.nodepool.plan.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one machine: its Host, its Node and the Pods bound to it. Lives on the decision
 * thread.
 */
final class MachineEntry {
  final String name;
  @Nullable Host host;
  @Nullable Node node;

  /** Pods bound to the Node of this name, by UID. */
  final TreeMap<String, Pod> pods = new TreeMap<>();

  /** The pool for which it takes up a place in its rack; empty text while it is free. */
  String rackHolder = "";

  /** Until when the Host is left alone after it refused an operation. */
  Instant refusedUntil = Instant.MIN;

  /** What is awaited of the machine, in which tenancy, and since when by the steady clock. */
  private @Nullable Awaited awaited;

  private record Awaited(Member.Stage stage, int tenancy, Instant since) {}

  /** Since when, by the steady clock, the mark on the Node and its cordon have been seen. */
  private @Nullable Marking marking;

  private record Marking(String nodeUid, Removal mark, Instant since) {}

  /** The Pods that a live list found, of which version of the Node, and when by the clock. */
  private @Nullable Listed listed;

  private record Listed(String nodeUid, long nodeVersion, MachineSnapshot.Listing listing) {}

  /** What came of the last attempts to evict or delete a Pod, by its UID. */
  private final Map<String, MachineSnapshot.Attempt> tried = new HashMap<>();

  /** Whether the Node had work that keeps it, when its pool last looked. */
  boolean busy;

  /** Why the last writes that were to remove the Node failed, by what they were about. */
  private final Map<Action.Subject, String> troubles = new HashMap<>();

  /** Where it stood in its pool when that was last counted. */
  Standing standing = Standing.NONE;

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

  MachineEntry(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return host == null && node == null && pods.isEmpty() && underWay == null;
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
    if (seen == null || seen.removal().isEmpty()) {
      listed = null;
      tried.clear();
      troubles.clear();
    }
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

  /** A Pod is gone from the Node. */
  void ended(String podUid) {
    tried.remove(podUid);
    troubles
        .keySet()
        .removeIf(about -> about instanceof Action.Subject.OfPod pod && pod.uid().equals(podUid));
  }

  /** Notes why a write that is to remove the Node fails, or that it does not any more. */
  void troubled(Action.Subject about, Optional<String> why) {
    why.ifPresentOrElse(text -> troubles.put(about, text), () -> troubles.remove(about));
  }

  /** Why the Node cannot be removed at present; empty while nothing fails. */
  Optional<String> trouble() {
    return troubles.values().stream().min(String::compareTo);
  }

  /** What was found out about the Node's removal. */
  MachineSnapshot.Evidence evidence(Instant now) {
    Node seen = node;
    if (seen == null || seen.removal().isEmpty()) {
      return MachineSnapshot.Evidence.NONE;
    }
    return new MachineSnapshot.Evidence(
        Optional.ofNullable(marking).map(each -> Duration.between(each.since(), now)),
        Optional.ofNullable(listed)
            .filter(each -> each.nodeUid().equals(seen.uid()))
            .filter(each -> each.nodeVersion() == seen.version())
            .map(Listed::listing),
        tried);
  }

  private Member.@Nullable Stage stage(Host seen) {
    if (seen.assignment().isEmpty() || seen.power() == Host.Power.OFF) {
      return null;
    }
    if (seen.isBooting()) {
      return Member.Stage.DELIVERY;
    }
    boolean registered = node != null && node.isOf(seen) && node.registered();
    boolean leaving = node != null && node.isOf(seen) && node.isDraining();
    return seen.is(HostPhase.RUNNING) && !registered && !leaving ? Member.Stage.REGISTRATION : null;
  }

  /** What runs on its Node. */
  Workload workload(Instant now, Predicate<String> controlPlane) {
    Node joined = node;
    return joined == null
        ? Workload.NONE
        : Activity.workload(pods.values(), controlPlane, joined, now);
  }

  /**
   * Its Host as a member of the pool that holds it.
   *
   * @param steady how much time has passed, for what is awaited
   * @param now the time, for graces
   * @param controlPlane whether a Namespace is the control plane's
   */
  Optional<Member> member(Instant steady, Instant now, Predicate<String> controlPlane) {
    Host seen = host;
    if (seen == null) {
      return Optional.empty();
    }
    Optional<Node> present = Optional.ofNullable(node).filter(joined -> joined.isOf(seen));
    return Optional.of(
        new Member(
            seen,
            present,
            present.isPresent() ? workload(now, controlPlane) : Workload.NONE,
            Optional.ofNullable(underWay),
            Optional.ofNullable(awaited)
                .map(each ->
                    new Member.Waiting(each.stage(), Duration.between(each.since(), steady))),
            trouble()));
  }
}
