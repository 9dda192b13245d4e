package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.ObjectFacts.orEmpty;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.nodepool.model.Pod;
import java.util.Optional;

/** Pods of the API as records. */
public final class PodConversion {
  private static final String MIRROR = "kubernetes.io/config.mirror";

  private PodConversion() {}

  /**
   * A Pod as a record; empty while it is bound to no Node.
   *
   * @throws UnreadableObjectException if it holds what cannot be understood
   */
  public static Optional<Pod> pod(io.fabric8.kubernetes.api.model.Pod object) {
    String node = object.getSpec() == null ? "" : orEmpty(object.getSpec().getNodeName());
    if (node.isEmpty()) {
      return Optional.empty();
    }
    Optional<OwnerReference> owner =
        object.getMetadata().getOwnerReferences().stream()
            .filter(reference -> Boolean.TRUE.equals(reference.getController()))
            .findFirst();
    String phase = object.getStatus() == null ? "" : orEmpty(object.getStatus().getPhase());
    return Optional.of(
        new Pod(
            object.getMetadata().getNamespace(),
            ObjectFacts.name(object),
            ObjectFacts.uid(object),
            ObjectFacts.version(object),
            node,
            owner.map(OwnerReference::getKind).orElse(""),
            owner.map(OwnerReference::getName).orElse(""),
            object.getMetadata().getAnnotations() != null
                && object.getMetadata().getAnnotations().containsKey(MIRROR),
            phase.equals("Running"),
            phase.equals("Succeeded") || phase.equals("Failed"),
            Optional.ofNullable(object.getMetadata().getDeletionTimestamp())
                .map(text -> ObjectFacts.time("metadata.deletionTimestamp", text))));
  }
}
