package io.nodepool.plan;

import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether a Namespace belongs to the control plane; Pods in such a Namespace are not tenant
 * work. A label of another client decides, else the name. Each Namespace is labelled with its
 * owner, and a label that the operator set follows the name (decisions D17, D43 and D91). Pure.
 *
 * @param names names of control-plane Namespaces in addition to the built-in ones
 */
public record ControlPlaneNamespaces(Set<String> names) {
  /** The built-in names only. */
  public static final ControlPlaneNamespaces DEFAULTS = new ControlPlaneNamespaces(Set.of());

  /** The Namespaces of Kubernetes, and those that CKS documents without its prefix. */
  private static final Set<String> ALWAYS =
      Set.of(
          "kube-system",
          "kube-public",
          "kube-node-lease",
          "hpc-verification",
          "node-problem-detector");

  /** The prefix of CKS's Namespaces. {@code kube-} decides nothing, because tenants use it too. */
  private static final String PREFIX = "cw-";

  private static final Pattern LABEL_VALUE =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

  public ControlPlaneNamespaces {
    names = Set.copyOf(names);
  }

  /** These names and one more. */
  public ControlPlaneNamespaces and(String name) {
    return new ControlPlaneNamespaces(
        Stream.concat(names.stream(), Stream.of(name)).collect(Collectors.toSet()));
  }

  /**
   * Whether the Namespace of this name belongs to the control plane. While the author of its label
   * must still be determined, the answer is no, because its Pods may be a tenant's.
   *
   * @param seen the observed Namespace; empty if it was not observed
   * @param author who set its label
   */
  public boolean include(String name, Optional<Namespace> seen, LabelAuthor author) {
    if (author == LabelAuthor.OURS || seen.flatMap(Namespace::organization).isEmpty()) {
      return isKnown(name);
    }
    return isControlPlane(seen.get()) && !isOpen(seen.get(), author);
  }

  /** Whether the author of the label decides, and is not known yet. */
  public boolean isOpen(Namespace seen, LabelAuthor author) {
    return author == LabelAuthor.UNKNOWN && isControlPlane(seen) && !isKnown(seen.name());
  }

  private static boolean isControlPlane(Namespace seen) {
    return seen.organization().equals(Optional.of(NamespaceLabels.CONTROL_PLANE));
  }

  /**
   * Labels a Namespace that has no label, and updates a label that the operator set. A label that
   * another client set stays.
   *
   * @param author who set its label
   * @param organization the organisation that owns users' Namespaces; empty while it is not known
   */
  public Optional<PlannedAction> plan(
      Namespace seen, LabelAuthor author, Optional<String> organization) {
    if (seen.terminating()) {
      return Optional.empty();
    }
    Optional<String> wanted =
        isKnown(seen.name())
            ? Optional.of(NamespaceLabels.CONTROL_PLANE)
            : organization.filter(ControlPlaneNamespaces::isValidOrganization);
    if (seen.organization().isEmpty()) {
      return wanted.map(value ->
          PlannedAction.quiet(
              new Action.LabelNamespace(seen.name(), seen.uid(), value), "it has no label"));
    }
    String label = seen.organization().get();
    boolean mayBeOwn =
        isKnown(seen.name())
            ? organization.equals(Optional.of(label)) && isValidOrganization(label)
            : isControlPlane(seen);
    return mayBeOwn ? follow(seen, author, label, wanted) : Optional.empty();
  }

  private static Optional<PlannedAction> follow(
      Namespace seen, LabelAuthor author, String label, Optional<String> wanted) {
    return switch (author) {
      case UNKNOWN ->
          Optional.of(
              PlannedAction.quiet(
                  new Action.AskLabelAuthor(seen.name(), seen.uid()),
                  "its label differs from what its name implies"));
      case OURS ->
          Optional.of(
              PlannedAction.quiet(
                  new Action.RelabelNamespace(
                      seen.name(), seen.uid(), seen.version(), label, wanted),
                  "its label was set by the operator and differs from what its name implies"));
      case OTHERS -> Optional.empty();
    };
  }

  private boolean isKnown(String name) {
    return ALWAYS.contains(name) || names.contains(name) || name.startsWith(PREFIX);
  }

  /**
   * Whether the organisation is a valid label value; any other would be rejected for each
   * Namespace.
   */
  private static boolean isValidOrganization(String organization) {
    return !organization.equals(NamespaceLabels.CONTROL_PLANE)
        && LABEL_VALUE.matcher(organization).matches();
  }
}
