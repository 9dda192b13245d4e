package io.nodepool.plan.node;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether a Node has tenant work. A live Pod counts unless it belongs to a DaemonSet, is a
 * mirror Pod, has finished, is in a control-plane Namespace, is interruptible, or is a Slurm daemon
 * that waits for jobs. SUNK's lock counts too (contract §11, T12; decisions D18 and D92).
 */
public final class NodeActivity {
  private static final int NAMED = 5;

  private NodeActivity() {}

  /** The value of CWActive for {@code node}, the Node of the machine's current tenancy. */
  public static Node.Activity of(MachineSnapshot seen, Node node, Instant now) {
    List<Pod> pods = seen.pods();
    Predicate<String> controlPlane = seen.controlPlane()::contains;
    Workload workload = workload(pods, controlPlane, node, now);
    List<String> reasons = new ArrayList<>();
    if (workload.working() > 0) {
      Set<String> owners = owners(pods.stream().filter(pod -> works(pod, controlPlane, node, now)));
      reasons.add(
          "%s of tenant workloads: %s."
              .formatted(Messages.count(workload.working(), "Pod"), Messages.list(owners, NAMED)));
    }
    if (workload.locked()) {
      reasons.add("SUNK holds the Node: taint %s.".formatted(NodeTaints.SUNK_LOCK.key()));
    }
    return reasons.isEmpty()
        ? new Node.Activity(
            false, idle(workload.interruptible(), standingBy(pods, controlPlane, node, now)))
        : new Node.Activity(true, String.join(" ", reasons));
  }

  /**
   * The workload of a Node.
   *
   * @param controlPlane whether a Namespace belongs to the control plane
   */
  public static Workload workload(
      Collection<Pod> pods, Predicate<String> controlPlane, Node node, Instant now) {
    int working = 0;
    int interruptible = 0;
    for (Pod pod : pods) {
      if (works(pod, controlPlane, node, now)) {
        working++;
      } else if (isInterruptible(pod) && isTenants(pod, controlPlane) && isLive(pod, node, now)) {
        interruptible++;
      }
    }
    return new Workload(working, interruptible, node.locked());
  }

  /** The Pods that are tenant work and keep {@code node}, the Node of the machine's tenancy. */
  public static List<Pod> work(MachineSnapshot seen, Node node, Instant now) {
    Predicate<String> controlPlane = seen.controlPlane()::contains;
    return seen.pods().stream().filter(pod -> works(pod, controlPlane, node, now)).toList();
  }

  /** Whether the Pod may be interrupted when its Node is needed. */
  static boolean isInterruptible(Pod pod) {
    return switch (pod.interruption()) {
      case AT_ONCE, GRACEFUL -> true;
      case NONE, STANDBY -> false;
    };
  }

  /** The owners of the Slurm daemons that wait for jobs on the Node. */
  private static SortedSet<String> standingBy(
      List<Pod> pods, Predicate<String> controlPlane, Node node, Instant now) {
    return owners(
        pods.stream()
            .filter(pod -> pod.interruption() == Pod.Interruption.STANDBY)
            .filter(pod -> isTenants(pod, controlPlane) && isLive(pod, node, now)));
  }

  /** The owners of these Pods, as text for messages. */
  static SortedSet<String> owners(Stream<Pod> pods) {
    return pods.map(NodeActivity::owner).collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether the Pod is tenant work that keeps its Node. */
  static boolean works(Pod pod, Predicate<String> controlPlane, Node node, Instant now) {
    return isWork(pod, controlPlane) && isLive(pod, node, now);
  }

  /** Whether the Pod is tenant work, as long as its Node is Ready. */
  public static boolean isWork(Pod pod, Predicate<String> controlPlane) {
    return pod.interruption() == Pod.Interruption.NONE
        && isTenants(pod, controlPlane)
        && !pod.execution().finished();
  }

  /**
   * When the activity may change without another observation: when the grace period of a Pod ends
   * on a Node whose kubelet does not respond.
   */
  public static Optional<Instant> nextChange(Collection<Pod> pods, Node node, Instant now) {
    return node.ready()
        ? Optional.empty()
        : pods.stream()
            .flatMap(pod -> pod.deletedAt().stream())
            .filter(graceEnds -> graceEnds.isAfter(now))
            .min(Instant::compareTo);
  }

  private static boolean isTenants(Pod pod, Predicate<String> controlPlane) {
    return !staysOnNode(pod) && !controlPlane.test(pod.namespace());
  }

  /** Whether the Pod belongs to the Node, so that a drain does not evict it. */
  static boolean staysOnNode(Pod pod) {
    return pod.owner().mirror() || pod.owner().kind().equals("DaemonSet");
  }

  /** Whether a Pod bound to a machine whose Node does not exist may still run there. */
  public static boolean holdsMachine(Pod pod, Instant now) {
    return !staysOnNode(pod)
        && !pod.execution().finished()
        && pod.deletedAt().filter(graceEnds -> !graceEnds.isAfter(now)).isEmpty();
  }

  /**
   * Whether the Pod is live: on a Ready Node until the object is deleted, on any other until its
   * grace period ends.
   */
  static boolean isLive(Pod pod, Node node, Instant now) {
    return !pod.execution().finished()
        && (node.ready() || pod.deletedAt().filter(graceEnds -> !graceEnds.isAfter(now)).isEmpty());
  }

  private static String idle(int interruptible, SortedSet<String> daemons) {
    List<String> besides = new ArrayList<>();
    if (interruptible > 0) {
      besides.add(Messages.count(interruptible, "interruptible Pod"));
    }
    if (!daemons.isEmpty()) {
      besides.add("the Slurm daemon of " + Messages.list(daemons, NAMED));
    }
    return besides.isEmpty()
        ? "No tenant workloads."
        : "No tenant workloads but %s.".formatted(String.join(" and ", besides));
  }

  private static String owner(Pod pod) {
    return pod.owner().kind().isEmpty()
        ? "Pod %s/%s".formatted(pod.namespace(), pod.name())
        : "%s %s/%s".formatted(pod.owner().kind(), pod.namespace(), pod.owner().name());
  }
}
