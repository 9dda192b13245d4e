package io.nodepool.whatif;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.metadata.PodLabels;
import java.util.Map;
import java.util.TreeMap;

/** A Pod of the virtual world as an object of a real API server. */
final class PodObject {
  private PodObject() {}

  /**
   * The object.
   *
   * @param labels that it has besides those of its interruption
   */
  static io.fabric8.kubernetes.api.model.Pod of(Pod pod, Map<String, String> labels) {
    Map<String, String> all = new TreeMap<>(labels);
    switch (pod.interruption()) {
      case NONE -> {}
      case STANDBY -> {
        if (!pod.owner().kind().equals("NodeSet")) {
          throw new IllegalArgumentException("only the Pod of a NodeSet stands by: " + pod);
        }
      }
      case GRACEFUL -> all.put(PodLabels.GRACEFUL_INTERRUPTIBLE.key(), "true");
      case AT_ONCE -> all.put(PodLabels.INTERRUPTIBLE.key(), "true");
    }
    String bound = ObjectFacts.seconds(pod.execution().boundAt());
    ObjectMetaBuilder metadata =
        ListedText.metadata(pod.name(), pod.uid(), pod.version())
            .withNamespace(pod.namespace())
            .withCreationTimestamp(bound)
            .withLabels(all);
    if (!pod.owner().equals(Pod.Owner.NONE)) {
      metadata.addToOwnerReferences(controller(pod.owner()));
    }
    pod.execution()
        .ending()
        .ifPresent(ending ->
            metadata
                .withDeletionTimestamp(ObjectFacts.seconds(ending.at()))
                .withDeletionGracePeriodSeconds(ending.grace().toSeconds()));
    return new PodBuilder()
        .withMetadata(metadata.build())
        .withNewSpec()
        .withNodeName(pod.nodeName())
        .withPriorityClassName(pod.eviction().critical() ? "system-node-critical" : null)
        .withTerminationGracePeriodSeconds(pod.eviction().grace().toSeconds())
        .endSpec()
        .withNewStatus()
        .withPhase(pod.execution().started() ? "Running" : "Pending")
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("True")
        .withLastTransitionTime(bound)
        .endCondition()
        .endStatus()
        .build();
  }

  private static OwnerReference controller(Pod.Owner owner) {
    String version =
        switch (owner.kind()) {
          case "Job" -> "batch/v1";
          case "NodeSet" -> "sunk.coreweave.com/v1alpha1";
          default -> "apps/v1";
        };
    return new OwnerReferenceBuilder()
        .withApiVersion(version)
        .withKind(owner.kind())
        .withName(owner.name())
        .withUid("uid-" + owner.name())
        .withController(true)
        .build();
  }
}
