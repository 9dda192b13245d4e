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
 * Whose is a Namespace? Pods in one of the control plane are no tenant work. The label that
 * somebody put there decides, else the name; each Namespace gets the label that says it, and a
 * label of ours follows the name (decisions D17, D43 and D91). Pure.
 *
 * @param names those that are the control plane's besides the ones that always are
 */
public record ControlPlaneNamespaces(Set<String> names) {
  /** Those that always are, and no more. */
  public static final ControlPlaneNamespaces DEFAULTS = new ControlPlaneNamespaces(Set.of());

  /** Those of Kubernetes, and those that CKS documents without its prefix. */
  private static final Set<String> ALWAYS =
      Set.of(
          "kube-system",
          "kube-public",
          "kube-node-lease",
          "hpc-verification",
          "node-problem-detector");

  /** What CKS names its own; {@code kube-} says nothing, for tenants use it too. */
  private static final String PREFIX = "cw-";

  private static final Pattern LABEL_VALUE =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

  public ControlPlaneNamespaces {
    names = Set.copyOf(names);
  }

  /** These and one more. */
  public ControlPlaneNamespaces and(String name) {
    return new ControlPlaneNamespaces(
        Stream.concat(names.stream(), Stream.of(name)).collect(Collectors.toSet()));
  }

  /**
   * Whether the Namespace of this name belongs to the control plane. One whose label is open does
   * not: its Pods may be a tenant's.
   *
   * @param seen the Namespace as it was seen; empty if it was not
   * @param author who put its label
   */
  public boolean include(String name, Optional<Namespace> seen, LabelAuthor author) {
    if (author == LabelAuthor.OURS || seen.flatMap(Namespace::organization).isEmpty()) {
      return isKnown(name);
    }
    return isControlPlane(seen.get()) && !isOpen(seen.get(), author);
  }

  /** Whether it depends on who put its label whether it is the control plane's. */
  public boolean isOpen(Namespace seen, LabelAuthor author) {
    return author == LabelAuthor.UNKNOWN && isControlPlane(seen) && !isKnown(seen.name());
  }

  private static boolean isControlPlane(Namespace seen) {
    return seen.organization().equals(Optional.of(NamespaceLabels.CONTROL_PLANE));
  }

  /**
   * Labels a Namespace that has no label, and brings a label of ours up to date; what others wrote
   * stays.
   *
   * @param author who put its label
   * @param organization whose the Namespaces of users are; empty while that is not known
   */
  public Optional<PlannedAction> plan(
      Namespace seen, LabelAuthor author, Optional<String> organization) {
    if (seen.terminating()) {
      return Optional.empty();
    }
    Optional<String> wanted =
        isKnown(seen.name())
            ? Optional.of(NamespaceLabels.CONTROL_PLANE)
            : organization.filter(ControlPlaneNamespaces::mayBeUsers);
    if (seen.organization().isEmpty()) {
      return wanted.map(value ->
          PlannedAction.quiet(
              new Action.LabelNamespace(seen.name(), seen.uid(), value), "it has no label"));
    }
    String label = seen.organization().get();
    boolean mayBeOurs =
        isKnown(seen.name())
            ? organization.equals(Optional.of(label)) && mayBeUsers(label)
            : isControlPlane(seen);
    return mayBeOurs ? follow(seen, author, label, wanted) : Optional.empty();
  }

  private static Optional<PlannedAction> follow(
      Namespace seen, LabelAuthor author, String label, Optional<String> wanted) {
    return switch (author) {
      case UNKNOWN ->
          Optional.of(
              PlannedAction.quiet(
                  new Action.AskLabelAuthor(seen.name(), seen.uid()),
                  "its label is not what its name says"));
      case OURS ->
          Optional.of(
              PlannedAction.quiet(
                  new Action.RelabelNamespace(
                      seen.name(), seen.uid(), seen.version(), label, wanted),
                  "its label is ours, and not what its name says"));
      case OTHERS -> Optional.empty();
    };
  }

  private boolean isKnown(String name) {
    return ALWAYS.contains(name) || names.contains(name) || name.startsWith(PREFIX);
  }

  /** An organisation of another form would be refused for each Namespace, again and again. */
  private static boolean mayBeUsers(String organization) {
    return !organization.equals(NamespaceLabels.CONTROL_PLANE)
        && LABEL_VALUE.matcher(organization).matches();
  }
}
