package io.nodepool.world.check.chronicle;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.world.check.text.Range;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/**
 * What work Nodes had, for one who may know of some objects what they are, and of others what they
 * were.
 *
 * @param since since when it may know of Nodes
 * @param podsSince since when it may know of Pods: the last live list of them may be older
 */
public record TenantWork(Chronicle chronicle, Instant since, Instant podsSince) {
  /** Whether the Node of this name had tenant work. */
  public boolean isBusy(String name) {
    return chronicle.node(name).was(since, Node::locked)
        || chronicle.pods(name).ever(podsSince, pods -> pods.stream().anyMatch(this::mayWork));
  }

  /**
   * Whether it had none. A deleted Pod is none if the Node was not ready: it may be known that it
   * is only later.
   */
  public boolean isIdle(String name) {
    boolean ready = !chronicle.node(name).wasNot(since, Node::ready);
    return chronicle.node(name).was(since, node -> !node.locked())
        && always(name, podsSince).stream()
            .filter(this::mayWork)
            .filter(pod -> ready || pod.deletedAt().isEmpty())
            .noneMatch(pod ->
                chronicle.controlPlane(pod.namespace()).since(since).stream().noneMatch(is -> is));
  }

  private boolean mayWork(Pod pod) {
    return pod.interruption() == Pod.Interruption.NONE
        && !pod.execution().finished()
        && chronicle.controlPlane(pod.namespace()).ever(since, is -> !is);
  }

  /** The Pods on the Node at all times since, as they are now. */
  private List<Pod> always(String name, Instant from) {
    List<List<Pod>> versions = chronicle.pods(name).since(from);
    return versions.getFirst().stream()
        .filter(pod ->
            versions.stream()
                .allMatch(version -> version.stream().anyMatch(p -> p.uid().equals(pod.uid()))))
        .toList();
  }

  /**
   * How many live Pods were on the Node that do not belong to it. One whose deletion was requested
   * may have ended, and one that was bound after the deadline of the drain need not be counted.
   */
  public Range livePods(String name) {
    return pods(name, podsSince, pod -> pod.deletedAt().isEmpty() && !isLate(name, pod));
  }

  private boolean isLate(String name, Pod pod) {
    return chronicle
        .node(name)
        .was(
            since,
            node ->
                node.disruption().orElse(null) instanceof Disruption.Committed drained
                    && pod.execution().boundAt().isAfter(drained.forceAt()));
  }

  /** How many such Pods were bound to the Node after an instant. */
  public Range podsBoundAfter(String name, Instant deadline) {
    return pods(
        name,
        podsSince,
        pod -> pod.execution().boundAt().isAfter(deadline),
        pod -> pod.deletedAt().isEmpty());
  }

  /** How many unfinished Pods were on the Node that do not belong to it, for one without a list. */
  public Range watchedPods(String name) {
    return pods(name, since, _ -> true);
  }

  private Range pods(String name, Instant from, Predicate<Pod> surely) {
    return pods(name, from, _ -> true, surely);
  }

  private Range pods(String name, Instant from, Predicate<Pod> which, Predicate<Pod> surely) {
    long most =
        chronicle.pods(name).since(from).stream()
            .flatMap(List::stream)
            .filter(pod -> !pod.execution().finished())
            .filter(which)
            .map(Pod::uid)
            .distinct()
            .count();
    long least =
        always(name, from).stream()
            .filter(pod -> !pod.execution().finished())
            .filter(which)
            .filter(surely)
            .count();
    return new Range((int) least, (int) most);
  }
}
