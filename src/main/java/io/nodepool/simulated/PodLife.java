package io.nodepool.simulated;

import io.nodepool.model.node.Pod;
import java.time.Instant;
import java.util.Optional;

/**
 * The behaviour of a simulated kubelet for a Pod bound to its Node: the Pod runs immediately, and
 * its containers end as defined. The containers of a deleted Pod are killed when its grace period
 * is over. The kubelet reports this before it removes the object, which finalizers may keep.
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
    Optional<Pod.Ending> ending = pod.execution().ending();
    if (pod.execution().finished()) {
      return ending.filter(each -> !each.grace().isZero()).isPresent()
          ? Next.now(new FleetAction.EndPod(id))
          : Next.NOTHING;
    }
    if (ending.isPresent()) {
      Instant end = ending.get().at();
      return now.isBefore(end)
          ? Next.at(end)
          : Next.now(
              new FleetAction.ReportRun(
                  id, new PodRun.Report.Killed(run.map(PodRun::restarts).orElse(0))));
    }
    return pod.execution().started()
        ? run.map(each -> each.next(id, now)).orElse(Next.NOTHING)
        : Next.now(new FleetAction.StartPod(id));
  }
}
