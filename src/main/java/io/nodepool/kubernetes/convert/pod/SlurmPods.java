package io.nodepool.kubernetes.convert.pod;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.Map;
import java.util.Optional;

/** Recognizes the Pods of SUNK's Slurm daemons (contract §11, decision D92). */
final class SlurmPods {
  private static final String GROUP = "sunk.coreweave.com";
  private static final String KIND = "NodeSet";

  /** The annotation that SUNK copies from the Node's lock to the Pod; its key is the taint's. */
  private static final String LOCK = NodeTaints.SUNK_LOCK.key();

  private SlurmPods() {}

  /**
   * Whether the Pod is a Slurm daemon that runs no job: a Pod of a NodeSet whose lock is neither
   * held nor requested. A Pod with the NodeSet's label that belongs to another controller is not a
   * Slurm daemon.
   */
  static boolean standsBy(
      Optional<OwnerReference> controller,
      Map<String, String> labels,
      Map<String, String> annotations) {
    boolean daemon =
        controller
            .map(owner -> KIND.equals(owner.getKind()) && GROUP.equals(PodOwner.group(owner)))
            .orElseGet(() -> labels.containsKey(NodeLabels.SUNK_NODESET.key()));
    return daemon && annotations.getOrDefault(LOCK, "false").equals("false");
  }
}
