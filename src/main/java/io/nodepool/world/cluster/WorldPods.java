package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.PodBudget;
import io.nodepool.plan.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The virtual world's Pods: binding, eviction as budgets allow, deletion. */
public final class WorldPods {
  /** The default grace period of a Pod. */
  public static final Duration GRACE = Duration.ofSeconds(30);

  /** The name of the budget that protects Pods. */
  public static final String GUARD = "guard";

  /** Replaces the name of the budget if several budgets protect a Pod. */
  public static final String SEVERAL = "more than one budget, which the API server refuses";

  private final WorldStore store;

  /** The budgets of each Pod that has one, by its UID. */
  private final Map<String, List<PodBudget>> budgets = new HashMap<>();

  /** The budget of a workload that does not allow a Pod's eviction now. */
  private Function<Pod, Optional<String>> workloadBudgets = _ -> Optional.empty();

  /** UIDs of Pods that continue to exist after their grace period. */
  private final Set<String> endless = new HashSet<>();

  /** UIDs of Pods with the condition DisruptionTarget. */
  private final Set<String> disrupted = new HashSet<>();

  WorldPods(WorldStore store) {
    this.store = store;
  }

  /** Binds a new Pod to a Node; the server checks neither a cordon nor whether the Pod fits. */
  public Pod bind(
      String namespace,
      String name,
      String nodeName,
      String ownerKind,
      Pod.Interruption interruption,
      boolean critical) {
    if (!store.namespaces.containsKey(namespace)) {
      throw new IllegalStateException("Namespace " + namespace + " does not exist");
    }
    Pod pod =
        new Pod(
            new Pod.Id(namespace, name, store.newUid("pod")),
            store.next(),
            nodeName,
            new Pod.Owner(ownerKind, name, false),
            new Pod.Eviction(critical, GRACE, interruption),
            Pod.Execution.bound(store.now()));
    store.put(pod);
    return pod;
  }

  /** Whether a Pod is bound to the Node that is neither a DaemonSet's nor a mirror Pod. */
  public boolean isBusy(String nodeName) {
    return !boundTo(nodeName).stream().allMatch(WorldPods::isOfNode);
  }

  /** Whether a Pod belongs to its Node: to a DaemonSet, or it is a mirror Pod. */
  public static boolean isOfNode(Pod pod) {
    return pod.owner().mirror() || pod.owner().kind().equals("DaemonSet");
  }

  /** Requests a Pod's deletion; the Pod ends with its grace period. */
  public void delete(String uid, Instant now, Duration grace) {
    Pod pod = store.pods.get(uid);
    if (pod != null) {
      store.put(
          pod.withVersion(store.next())
              .withExecution(
                  pod.execution().withEnding(Optional.of(new Pod.Ending(now.plus(grace), grace)))));
    }
  }

  /** Gives the Pod another grace period, as if it had been created with it. */
  public void grace(String uid, Duration grace) {
    Optional.ofNullable(store.pods.get(uid))
        .ifPresent(pod ->
            store.put(pod.withVersion(store.next()).withEviction(pod.eviction().withGrace(grace))));
  }

  /** Adds this budget to the other budgets of its Pods. */
  public void protect(PodBudget budget) {
    budget.pods().forEach(uid -> budgets.computeIfAbsent(uid, _ -> new ArrayList<>()).add(budget));
  }

  /** Sets the function that names the refusing budget of a Pod without other budgets. */
  public void budgets(Function<Pod, Optional<String>> next) {
    workloadBudgets = next;
  }

  /** From now on a budget does not allow the Pod's eviction. */
  public void guard(String uid) {
    if (!budgets.containsKey(uid)) {
      protect(new PodBudget(GUARD, Set.of(uid), 0));
    }
  }

  /** From now on the Pod has two budgets, for which the API server refuses every eviction. */
  public void guardAgain(String uid) {
    guard(uid);
    protect(new PodBudget(GUARD, Set.of(uid), 0));
  }

  /** From now on budgets allow the eviction of all Pods. */
  public void allowAll() {
    budgets.clear();
  }

  /**
   * The budget that does not allow a Pod's eviction now; {@link #SEVERAL} if the Pod has several. A
   * Pod that ended is replaced at once.
   */
  private Optional<String> refusal(String uid) {
    List<PodBudget> all = budgets.getOrDefault(uid, List.of());
    if (all.isEmpty()) {
      return workloadBudgets.apply(store.pods.get(uid));
    }
    if (all.size() > 1) {
      return Optional.of(SEVERAL);
    }
    return all.stream()
        .filter(budget -> budget.allowed() <= ending(budget))
        .findFirst()
        .map(PodBudget::name);
  }

  private long ending(PodBudget budget) {
    return budget.pods().stream()
        .flatMap(uid -> Optional.ofNullable(store.pods.get(uid)).stream())
        .filter(pod -> pod.deletedAt().isPresent())
        .count();
  }

  /** From now on the Pod does not end, as with a finalizer that is never removed. */
  public void keep(String uid) {
    endless.add(uid);
  }

  /** Whether the Pod is evicted, or deleted for a disruption, as its condition shows. */
  public boolean isDisrupted(String uid) {
    return disrupted.contains(uid);
  }

  /** Whether the Pod with this UID does not end. */
  public boolean isEndless(String uid) {
    return endless.contains(uid);
  }

  /**
   * Completes the Pod's work: lists and watches, which exclude finished Pods, no longer return it.
   */
  public void finish(String uid) {
    store.removePod(uid);
  }

  Answer<Observation> list(Action.ListPods list) {
    return new Answer.Done<>(
        new Observation.PodsListed(
            list.node(), list.nodeUid(), list.nodeVersion(), boundTo(list.node())));
  }

  /** The Pods bound to the Node of this name. */
  public List<Pod> boundTo(String node) {
    return store.boundTo(node);
  }

  /** Reads whether a machine has a Node, and the Pods under its name if it has none. */
  Answer<Observation> read(Action.ReadMachine read) {
    String name = read.host().name();
    boolean found = store.nodes.containsKey(name);
    return new Answer.Done<>(
        new Observation.MachineRead(
            read.host(), read.tenancy(), found, found ? List.of() : boundTo(name)));
  }

  Answer<Observation> evict(Action.EvictPod evict, Instant now) {
    return tried(evict.subject(), evict(evict.subject().uid(), evict.grace(), now));
  }

  /**
   * Evicts a Pod, unless a budget does not allow it.
   *
   * @param grace the grace period; empty for that of the Pod
   * @return the budget that does not allow it
   */
  public Optional<String> evict(String uid, Optional<Duration> grace, Instant now) {
    Pod pod = store.pods.get(uid);
    if (pod == null || pod.deletedAt().isPresent()) {
      return Optional.empty();
    }
    Optional<String> refused = refusal(uid);
    if (refused.isEmpty()) {
      disrupted.add(uid);
      delete(uid, now, grace.orElse(pod.eviction().grace()));
    }
    return refused;
  }

  Answer<Observation> delete(Action.DeletePod delete, Instant now) {
    Action.Subject.OfPod subject = delete.subject();
    Pod pod = store.pods.get(subject.uid());
    if (pod != null) {
      disrupted.add(subject.uid());
      Duration grace = delete.grace().orElse(pod.eviction().grace());
      if (pod.deletedAt().filter(before -> !before.isAfter(now.plus(grace))).isEmpty()) {
        delete(subject.uid(), now, grace);
      }
    }
    return tried(subject, Optional.empty());
  }

  private static Answer<Observation> tried(
      Action.Subject.OfPod subject, Optional<String> blockedBy) {
    return new Answer.Done<>(
        new Observation.EvictionTried(subject.node(), subject.uid(), blockedBy));
  }

  Answer<Observation> read(Action.Subject.OfPod subject) {
    Pod pod = store.pods.get(subject.uid());
    return new Answer.Done<>(
        pod == null
            ? new Observation.PodGone(subject.node(), subject.uid(), store.last())
            : new Observation.PodSeen(pod));
  }
}
