package io.nodepool.vocabulary.metadata;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The domains of label, annotation and taint keys that users may not write, and the exceptions
 * (contract §9 and §20, T9).
 */
public final class LabelDomains {
  /** The message with which a key of a reserved domain is rejected. */
  public static final String REFUSAL =
      "Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.";

  /** The reserved domains; their subdomains are reserved too. */
  public static final List<String> RESERVED_DOMAINS = List.of("coreweave.cloud", "coreweave.com");

  /** The reserved keys that a NodePool may set nevertheless, because existing clients do. */
  public static final Set<String> ALLOWED_IN_SPEC =
      Set.of(NodeLabels.SYSTEM_CRITICAL.key(), NodeLabels.DRA_GPU_ENABLED.key());

  /** The domain of the operator's own keys, with its subdomains. */
  private static final String OWN_DOMAIN = "nodepool.io";

  /**
   * The domains of Kubernetes' own taints, with their subdomains. Kubernetes controllers add and
   * remove such taints by the state of the Node; a taint that a spec sets would be removed and
   * added without end.
   */
  public static final List<String> KUBERNETES_DOMAINS = List.of("kubernetes.io", "k8s.io");

  /**
   * Annotations that Kubernetes itself maintains on Nodes or interprets, so that a spec may not set
   * them.
   */
  public static final Set<String> KUBERNETES_ANNOTATIONS =
      Set.of(
          "node.alpha.kubernetes.io/ttl",
          "volumes.kubernetes.io/controller-managed-attach-detach",
          "csi.volume.kubernetes.io/nodeid",
          "alpha.kubernetes.io/provided-node-ip",
          "scheduler.alpha.kubernetes.io/taints",
          "scheduler.alpha.kubernetes.io/preferAvoidPods");

  /** Taints of the Cluster Autoscaler, which have no domain and a meaning for the operator. */
  public static final Set<String> AUTOSCALER_TAINTS =
      Set.of(NodeTaints.AUTOSCALER_DELETION.key(), NodeTaints.AUTOSCALER_CANDIDATE.key());

  private static final Set<String> MACHINE_LABELS =
      Arrays.stream(NodeLabels.values())
          .map(MetadataKey::key)
          .collect(Collectors.toUnmodifiableSet());

  /**
   * The reserved domain whose keys users may all write on Nodes: SUNK marks the Nodes that it uses.
   */
  public static final String ALLOWED_DOMAIN_ON_NODES = "sunk.coreweave.com";

  /** The reserved keys that users may write on Nodes nevertheless, because existing clients do. */
  public static final Set<String> ALLOWED_ON_NODES =
      Arrays.stream(NodeLabels.values())
          .filter(label -> label.writers().contains(KeyWriter.CLIENT))
          .map(MetadataKey::key)
          .filter(key -> !key.startsWith(ALLOWED_DOMAIN_ON_NODES + "/"))
          .collect(Collectors.toUnmodifiableSet());

  private LabelDomains() {}

  /**
   * Whether the domain of a key, the part before the slash, is reserved. A key without a domain is
   * not.
   */
  public static boolean reserved(String key) {
    return RESERVED_DOMAINS.stream().anyMatch(domain -> below(key, domain));
  }

  private static boolean below(String key, String parent) {
    int slash = key.indexOf('/');
    if (slash < 0) {
      return false;
    }
    // The API server compares the domains of annotation keys without regard to case.
    String domain = key.substring(0, slash).toLowerCase(Locale.ROOT);
    return domain.equals(parent) || domain.endsWith("." + parent);
  }

  /** Why {@code spec.nodeTaints} of a NodePool may not contain a key; empty if it may. */
  public static Optional<String> refusedAsTaint(String key) {
    if (reserved(key)) {
      return Optional.of(REFUSAL);
    }
    if (below(key, OWN_DOMAIN)) {
      return Optional.of("taints under nodepool.io are the operator's");
    }
    if (KUBERNETES_DOMAINS.stream().anyMatch(domain -> below(key, domain))) {
      return Optional.of(
          "Kubernetes sets and removes taints under kubernetes.io and k8s.io by itself");
    }
    return AUTOSCALER_TAINTS.contains(key)
        ? Optional.of("the Cluster Autoscaler sets it on Nodes that it removes")
        : Optional.empty();
  }

  /**
   * Why {@code spec.nodeAnnotations} of a NodePool may not contain a key; empty if it may.
   *
   * @param exceptions the reserved keys that it may contain beside {@link #ALLOWED_IN_SPEC}
   */
  public static Optional<String> refusedAsAnnotation(String key, Set<String> exceptions) {
    if (!allowedInSpec(key, exceptions)) {
      return Optional.of(REFUSAL);
    }
    return KUBERNETES_ANNOTATIONS.contains(key)
        ? Optional.of("Kubernetes sets it by itself")
        : Optional.empty();
  }

  /**
   * Whether {@code spec.nodeLabels} of a NodePool may contain a key.
   *
   * @param exceptions the reserved keys that it may contain beside {@link #ALLOWED_IN_SPEC}
   */
  public static boolean allowedInSpec(String key, Set<String> exceptions) {
    return !reserved(key) || ALLOWED_IN_SPEC.contains(key) || exceptions.contains(key);
  }

  /**
   * Whether a label with this key is applied from a NodePool's spec to Nodes: a spec may contain
   * it, and neither the machine nor its fleet sets it.
   */
  public static boolean followedAsLabel(String key, Set<String> exceptions) {
    return allowedInSpec(key, exceptions)
        && (ALLOWED_IN_SPEC.contains(key) || !MACHINE_LABELS.contains(key));
  }

  /**
   * Whether an annotation with this key is applied from a NodePool's spec to Nodes: a spec may
   * contain it, and it is not one of the operator's own.
   */
  public static boolean followedAsAnnotation(String key, Set<String> exceptions) {
    return refusedAsAnnotation(key, exceptions).isEmpty() && !below(key, OWN_DOMAIN);
  }
}
