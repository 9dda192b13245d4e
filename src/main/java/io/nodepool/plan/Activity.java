package io.nodepool.plan;

import io.nodepool.model.Node;
import io.nodepool.model.Pod;
import java.util.Collection;
import java.util.TreeSet;

/**
 * Has a Node tenant work? A live Pod that is no DaemonSet's, no mirror, not finished and not in a
 * control-plane namespace counts (contract §11, T12; decision D18).
 */
public final class Activity {
  private static final int NAMED = 5;

  private Activity() {}

  /** What CWActive is to say of a Node with these Pods. */
  public static Node.Activity of(Collection<Pod> pods) {
    TreeSet<String> owners = new TreeSet<>();
    int working = 0;
    for (Pod pod : pods) {
      if (isTenantWork(pod)) {
        working++;
        owners.add(owner(pod));
      }
    }
    return working == 0
        ? new Node.Activity(false, "No tenant workloads.")
        : new Node.Activity(
            true,
            "%s of tenant workloads: %s."
                .formatted(Texts.count(working, "Pod"), Texts.list(owners, NAMED)));
  }

  /** Whether a Pod is tenant work. */
  public static boolean isTenantWork(Pod pod) {
    return !pod.finished()
        && !pod.mirror()
        && !pod.ownerKind().equals("DaemonSet")
        && !isControlPlane(pod.namespace());
  }

  private static boolean isControlPlane(String namespace) {
    return namespace.startsWith("kube-")
        || namespace.startsWith("cw-")
        || namespace.equals("hpc-verification")
        || namespace.equals("node-problem-detector")
        || namespace.equals("nodepool-system");
  }

  private static String owner(Pod pod) {
    return pod.ownerKind().isEmpty()
        ? "Pod %s/%s".formatted(pod.namespace(), pod.name())
        : "%s %s/%s".formatted(pod.ownerKind(), pod.namespace(), pod.ownerName());
  }
}
