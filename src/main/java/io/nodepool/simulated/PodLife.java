package io.nodepool.simulated;

import io.nodepool.model.node.Pod;
import java.time.Instant;

/**
 * How a simulated kubelet treats a Pod bound to its Node: it runs at once, and ends when its grace
 * is over.
 */
public final class PodLife {
  private PodLife() {}

  /** What the kubelet does next about the Pod. */
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
