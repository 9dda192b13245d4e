package io.nodepool.plan;

import io.nodepool.model.Namespace;
import io.nodepool.vocabulary.NamespaceLabels;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which Namespaces belong to the control plane, so that Pods in them are no tenant work? The label
 * decides where there is one, else the name; one known by name gets the label (decisions D17 and
 * D43). Pure.
 *
 * @param names those known by their whole name; names that begin with {@code kube-} or {@code cw-}
 *     are known besides
 */
public record ControlPlaneNamespaces(Set<String> names) {
  /** Those of Kubernetes, and those that CKS documents. */
  public static final ControlPlaneNamespaces DEFAULTS =
      new ControlPlaneNamespaces(
          Set.of(
              "kube-system",
              "kube-public",
              "kube-node-lease",
              "cw-hpc-verification",
              "hpc-verification",
              "node-problem-detector"));

  public ControlPlaneNamespaces {
    names = Set.copyOf(names);
  }

  /** These and one more. */
  public ControlPlaneNamespaces and(String name) {
    return new ControlPlaneNamespaces(
        Stream.concat(names.stream(), Stream.of(name)).collect(Collectors.toSet()));
  }

  /**
   * Whether the Namespace of this name belongs to the control plane.
   *
   * @param seen the Namespace as it was seen; empty if it was not
   */
  public boolean include(String name, Optional<Namespace> seen) {
    return seen.flatMap(Namespace::organization)
        .map(NamespaceLabels.CONTROL_PLANE::equals)
        .orElseGet(() -> isKnown(name));
  }

  /** Labels a Namespace that is known and has no label; what others wrote there stays. */
  public Optional<Step> plan(Namespace seen) {
    return seen.organization().isEmpty() && isKnown(seen.name())
        ? Optional.of(
            Step.quiet(
                new Action.LabelNamespace(seen.name(), seen.uid()),
                "it belongs to the control plane by its name"))
        : Optional.empty();
  }

  private boolean isKnown(String name) {
    return names.contains(name) || name.startsWith("kube-") || name.startsWith("cw-");
  }
}
