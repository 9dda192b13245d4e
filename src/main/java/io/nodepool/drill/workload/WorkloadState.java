package io.nodepool.drill.workload;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A workload while it is played. */
final class WorkloadState {
  /** As it is wanted now. */
  WorkloadManifest workload;

  final List<WorkUnit> units = new ArrayList<>();

  /** What each of its Pods requests, by resource, in thousandths of its unit. */
  final Map<String, Long> requests;

  /** How many of its Pods ended early. */
  int ended;

  /** The longest wait of a Pod that found a Node. */
  Duration waited = Duration.ZERO;

  WorkloadState(WorkloadManifest workload) {
    this.workload = workload;
    this.requests = Placement.requests(workload.template().getSpec());
  }

  void waited(Duration time) {
    waited = time.compareTo(waited) > 0 ? time : waited;
  }
}
