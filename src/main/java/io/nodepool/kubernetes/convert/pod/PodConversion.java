package io.nodepool.kubernetes.convert.pod;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orNone;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.metadata.PodLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts Pods of the API to records. */
public final class PodConversion {
  private static final String MIRROR = "kubernetes.io/config.mirror";

  private static final Set<String> CRITICAL =
      Set.of("system-cluster-critical", "system-node-critical");

  /** The API server's default. */
  private static final long DEFAULT_GRACE_SECONDS = 30;

  private static final Set<PodLabels> GRACEFUL =
      EnumSet.of(PodLabels.GRACEFUL_INTERRUPTIBLE, PodLabels.GRACEFUL_INTERRUPTIBLE_COM);
  private static final Set<PodLabels> AT_ONCE = EnumSet.complementOf(EnumSet.copyOf(GRACEFUL));

  private PodConversion() {}

  /**
   * A Pod as a record; empty while it is bound to no Node.
   *
   * @throws UnreadableObjectException if the Pod cannot be read
   */
  public static Optional<Pod> pod(io.fabric8.kubernetes.api.model.Pod object) {
    String node = object.getSpec() == null ? "" : orEmpty(object.getSpec().getNodeName());
    if (node.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> labels = orNone(object.getMetadata().getLabels());
    Map<String, String> annotations = orNone(object.getMetadata().getAnnotations());
    Optional<OwnerReference> controller =
        object.getMetadata().getOwnerReferences().stream()
            .filter(reference -> Boolean.TRUE.equals(reference.getController()))
            .findFirst();
    Pod.Owner owner = PodOwner.of(controller, labels, createdAt(object));
    String phase = object.getStatus() == null ? "" : orEmpty(object.getStatus().getPhase());
    return Optional.of(
        new Pod(
            new Pod.Id(
                object.getMetadata().getNamespace(),
                ObjectFacts.name(object),
                ObjectFacts.uid(object)),
            ObjectFacts.version(object),
            node,
            owner.withMirror(annotations.containsKey(MIRROR)),
            new Pod.Eviction(
                CRITICAL.contains(orEmpty(object.getSpec().getPriorityClassName())),
                grace(object.getSpec().getTerminationGracePeriodSeconds()),
                interruption(labels, SlurmPods.standsBy(controller, labels, annotations))),
            new Pod.Execution(
                boundAt(object),
                phase.equals("Running"),
                phase.equals("Succeeded") || phase.equals("Failed"),
                ending(object))));
  }

  private static Optional<Pod.Ending> ending(io.fabric8.kubernetes.api.model.Pod object) {
    Long seconds = object.getMetadata().getDeletionGracePeriodSeconds();
    Duration grace =
        seconds == null
            ? grace(object.getSpec().getTerminationGracePeriodSeconds())
            : Duration.ofSeconds(Math.max(0, seconds));
    return ObjectFacts.deletedAt(object).map(at -> new Pod.Ending(at, grace));
  }

  private static Optional<Instant> createdAt(io.fabric8.kubernetes.api.model.Pod object) {
    return Optional.ofNullable(object.getMetadata().getCreationTimestamp())
        .map(text -> ObjectFacts.time("metadata.creationTimestamp", text));
  }

  /**
   * When the Pod was bound: the API server records this with the binding. A Pod that was created on
   * its Node has no such record until its kubelet writes one.
   */
  private static Instant boundAt(io.fabric8.kubernetes.api.model.Pod object) {
    return Optional.ofNullable(object.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(each -> each.getType().equals("PodScheduled") && each.getStatus().equals("True"))
        .findFirst()
        .flatMap(each -> ObjectFacts.readableTime(each.getLastTransitionTime()))
        .or(() -> createdAt(object))
        .orElse(Instant.EPOCH);
  }

  private static Duration grace(@Nullable Long seconds) {
    return Duration.ofSeconds(seconds == null ? DEFAULT_GRACE_SECONDS : Math.max(0, seconds));
  }

  /** With labels for both ways, a Pod is interrupted gracefully. */
  private static Pod.Interruption interruption(Map<String, String> labels, boolean standsBy) {
    if (isTrue(labels, GRACEFUL)) {
      return Pod.Interruption.GRACEFUL;
    }
    if (isTrue(labels, AT_ONCE)) {
      return Pod.Interruption.AT_ONCE;
    }
    return standsBy ? Pod.Interruption.STANDBY : Pod.Interruption.NONE;
  }

  private static boolean isTrue(Map<String, String> labels, Set<PodLabels> keys) {
    return keys.stream().anyMatch(key -> "true".equals(labels.get(key.key())));
  }
}
