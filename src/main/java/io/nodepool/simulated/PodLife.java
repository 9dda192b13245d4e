package io.nodepool.simulated;

import io.nodepool.model.node.Pod;
import java.time.Instant;
import java.util.Optional;

/**
 * The behaviour of a simulated kubelet for a Pod bound to its Node: the Pod runs immediately, its
 * containers end as they are told, and it ends when its grace period is over.
 */
public final class PodLife {
  private PodLife() {}

  /**
   * Returns the kubelet's next action for the Pod.
   *
   * @param run how its containers end; empty if they run until the Pod is deleted
   */
  public static Next next(Pod pod, Optional<PodRun> run, Instant now) {
    FleetAction.PodId id = new FleetAction.PodId(pod.namespace(), pod.name(), pod.uid());
    if (pod.deletedAt().isPresent()) {
      Instant end = pod.deletedAt().get();
      return now.isBefore(end) ? Next.at(end) : Next.now(new FleetAction.EndPod(id));
    }
    if (pod.execution().finished()) {
      return Next.NOTHING;
    }
    return pod.execution().started()
        ? run.map(each -> each.next(id, now)).orElse(Next.NOTHING)
        : Next.now(new FleetAction.StartPod(id));
  }
}
