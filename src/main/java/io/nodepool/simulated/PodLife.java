package io.nodepool.simulated;

import io.nodepool.model.node.Pod;
import java.time.Instant;

/**
 * The behaviour of a simulated kubelet for a Pod bound to its Node: the Pod runs immediately, and
 * ends when its grace period is over.
 */
public final class PodLife {
  private PodLife() {}

  /** Returns the kubelet's next action for the Pod. */
  public static Next next(Pod pod, Instant now) {
    if (pod.deletedAt().isPresent()) {
      Instant end = pod.deletedAt().get();
      return now.isBefore(end)
          ? Next.at(end)
          : Next.now(new FleetAction.EndPod(pod.namespace(), pod.name(), pod.uid()));
    }
    return pod.execution().started() || pod.execution().finished()
        ? Next.NOTHING
        : Next.now(new FleetAction.StartPod(pod.namespace(), pod.name(), pod.uid()));
  }
}
