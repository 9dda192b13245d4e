package io.nodepool.drill.workload;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A workload of tenants, from its manifest.
 *
 * @param replicas how many Pods it wants; for a Job, how many must complete
 * @param template its Pods
 * @param work the work of its Pods
 */
public record WorkloadManifest(
    Kind kind, Id id, int replicas, PodTemplateSpec template, Work work) {
  /** What creates its Pods. */
  public enum Kind {
    /** Pods that are replaced under other names. */
    DEPLOYMENT("Deployment", "ReplicaSet"),
    /** Pods that are replaced under the same name, once the former Pod is gone. */
    STATEFUL_SET("StatefulSet", "StatefulSet"),
    /** Pods that are replaced until their work is done. */
    JOB("Job", "Job"),
    /** One Pod on each Node that it may run on. */
    DAEMON_SET("DaemonSet", "DaemonSet"),
    /** A Pod that is not replaced. */
    POD("Pod", "");

    private final String word;
    private final String ownerKind;

    Kind(String word, String ownerKind) {
      this.word = word;
      this.ownerKind = ownerKind;
    }

    /** Whether users give it another number of Pods while it exists. */
    public boolean isScaled() {
      return this == DEPLOYMENT || this == STATEFUL_SET;
    }

    /** The kind of its manifest. */
    public String word() {
      return word;
    }

    /** The kind of the object that owns its Pods; empty text for none. */
    String ownerKind() {
      return ownerKind;
    }
  }

  /** The Namespace and the name of a workload. */
  public record Id(String namespace, String name) {
    @Override
    public String toString() {
      return namespace + "/" + name;
    }
  }

  /**
   * The work of Pods.
   *
   * @param lasts how long they run until it is done; empty for a service, which runs on
   * @param checkpoint how often the work is saved; empty if all is lost with the Pod
   * @param gang whether it is only done while all Pods of the workload run
   * @param atOnce how many Pods of a Job run at a time
   */
  public record Work(
      Optional<Duration> lasts, Optional<Duration> checkpoint, boolean gang, int atOnce) {}

  /** The labels of its Pods. */
  Map<String, String> labels() {
    return Optional.ofNullable(template.getMetadata().getLabels()).orElse(Map.of());
  }

  /** A copy with another number of Pods. */
  public WorkloadManifest withReplicas(int next) {
    return new WorkloadManifest(kind, id, next, template, work);
  }
}
