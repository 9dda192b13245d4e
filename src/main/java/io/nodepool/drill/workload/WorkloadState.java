package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.model.node.Pod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The state of a workload in a run. */
final class WorkloadState {
  /** The present manifest. */
  WorkloadManifest workload;

  final List<WorkUnit> units = new ArrayList<>();

  /** The requests of each of its Pods, by resource, in thousandths of its unit. */
  final Map<String, Long> requests;

  /** The facts that the operator reads from its Pods. */
  final Pod.Eviction eviction;

  /** How many of its Pods ended early. */
  int ended;

  /** The longest wait of a Pod that found a Node. */
  Duration waited = Duration.ZERO;

  WorkloadState(WorkloadManifest workload) {
    this.workload = workload;
    this.requests = Placement.requests(workload.template().getSpec());
    this.eviction = eviction(workload);
  }

  private static Pod.Eviction eviction(WorkloadManifest workload) {
    return PodConversion.pod(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace(workload.id().namespace())
                .withName(workload.id().name())
                .withUid("")
                .withResourceVersion("0")
                .withLabels(workload.template().getMetadata().getLabels())
                .withAnnotations(workload.template().getMetadata().getAnnotations())
                .endMetadata()
                .withNewSpecLike(workload.template().getSpec())
                .withNodeName("any")
                .endSpec()
                .build())
        .orElseThrow()
        .eviction();
  }

  void waited(Duration time) {
    waited = time.compareTo(waited) > 0 ? time : waited;
  }
}
