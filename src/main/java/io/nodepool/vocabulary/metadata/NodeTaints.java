package io.nodepool.vocabulary.metadata;

import java.util.Optional;

/**
 * The taints of a Node that are defined (contract §7 and §10). A production Node has one of the
 * first two only.
 */
public enum NodeTaints {
  IS_CPU_COMPUTE(
      "is_cpu_compute",
      TaintEffect.NO_SCHEDULE,
      "The Node has no GPU. Admission adds the toleration to every Pod that requests no GPU."),
  IS_GPU(
      "is_gpu",
      Optional.of("true"),
      TaintEffect.PREFER_NO_SCHEDULE,
      "The Node has GPUs; Pods that request none are scheduled to other Nodes if possible."),
  RESERVED(
      "node.coreweave.cloud/reserved",
      TaintEffect.NO_EXECUTE,
      "The Node does not run tenant work: its state is not production, or it belongs to the control plane. The value is a hash"
          + " of the label of the same key: the first 16 hex digits of its SHA-256. With the effect NoSchedule, and the hash of"
          + " reserved-desired, the Node is pending: it takes no new work until its reservation can change."),
  INTERRUPTABLE(
      "qos.coreweave.cloud/interruptable",
      TaintEffect.NO_EXECUTE,
      "Set by other clients: only Pods that tolerate interruption stay. Kept, never written by the operator."),
  EVICT(
      "node.coreweave.cloud/evict",
      TaintEffect.NO_EXECUTE,
      "Set by other clients: all Pods must be evicted from the Node. Kept, never written by the operator."),
  NVIDIA_GPU(
      "nvidia.com/gpu",
      TaintEffect.NO_SCHEDULE,
      "Set by other clients: repels Pods without a GPU request. Kept, never written by the operator."),
  SUNK_LOCK(
      "sunk.coreweave.com/lock",
      Optional.of("true"),
      TaintEffect.NO_EXECUTE,
      "Set by SUNK while a Slurm job uses the Node; such a Node counts as active."),
  AUTOSCALER_DELETION(
      "ToBeDeletedByClusterAutoscaler",
      TaintEffect.NO_SCHEDULE,
      "Set by the Cluster Autoscaler: it has drained the Node and lowers the target next. When the target falls, the Node is removed first."),
  AUTOSCALER_CANDIDATE(
      "DeletionCandidateOfClusterAutoscaler",
      TaintEffect.PREFER_NO_SCHEDULE,
      "Set by the Cluster Autoscaler: the Node may become one that it removes.");

  private final String key;
  private final Optional<String> value;
  private final TaintEffect effect;
  private final String meaning;

  NodeTaints(String key, TaintEffect effect, String meaning) {
    this(key, Optional.empty(), effect, meaning);
  }

  NodeTaints(String key, Optional<String> value, TaintEffect effect, String meaning) {
    this.key = key;
    this.value = value;
    this.effect = effect;
    this.meaning = meaning;
  }

  /** The key on the wire. */
  public String key() {
    return key;
  }

  /** The value, if it is always the same; empty if there is none or it differs between Nodes. */
  public Optional<String> value() {
    return value;
  }

  /** The effect of the taint. */
  public TaintEffect effect() {
    return effect;
  }

  /** What the taint means for the Node, and who sets it. */
  public String meaning() {
    return meaning;
  }

  /**
   * Whether the operator sets taints with this key by the kind or the reservation of a Node, so
   * that no pool's spec decides on them.
   */
  public static boolean isOwn(String key) {
    return key.equals(IS_CPU_COMPUTE.key) || key.equals(IS_GPU.key) || key.equals(RESERVED.key);
  }
}
