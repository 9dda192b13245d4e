package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Wording.Check.FORM;
import static io.nodepool.world.check.untruth.Untruth.Kind.COUNT;
import static io.nodepool.world.check.untruth.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.untruth.Untruth.Kind.STATE;

import io.nodepool.model.node.Pod;
import io.nodepool.world.check.untruth.Untruth;
import java.util.List;
import java.util.function.Predicate;

/** The texts about the eviction of a Node's Pods. */
final class DrainWordings {
  private DrainWordings() {}

  static final List<Wording> OF_POOL =
      List.of(Wording.counting("nodes", "Draining {nodes#Node}[ ({names~nodes})].", FORM));

  static final List<Wording> DRAINING =
      List.of(
          Wording.ofNode(
              "Node {node} is being drained: {pods#Pod} left: {owners~}.", DrainWordings::left),
          Wording.counting("nodes", "{nodes#Node}[ ({names~nodes})] being drained.", FORM));

  static final Wording OF_BUDGETS =
      Wording.ofNode(
          "Budgets block the eviction of {pods#Pod}: {blocked~pods}. Tried again every {every}; deleted at {at}.",
          Wording.Check.each("blocked", OBJECT, "the Pod is on the Node", DrainWordings::isThere));

  private static boolean isThere(String text, Moment moment) {
    Predicate<Pod> is = pod -> text.startsWith("%s/%s (".formatted(pod.namespace(), pod.name()));
    return moment
        .chronicle()
        .pods(moment.name())
        .ever(moment.since(), pods -> pods.stream().anyMatch(is));
  }

  static final List<Wording> BLOCKED =
      List.of(
          OF_BUDGETS,
          Wording.ofPool(
              "PodDisruptionBudgets blocked drains once ({names~}); CWNodeRemoval of a Node says which.",
              DrainWordings::blocked),
          Wording.counting(
              "times",
              "PodDisruptionBudgets blocked drains {times#} times ({names~}); CWNodeRemoval of a Node says which.",
              DrainWordings::blocked));

  private static void blocked(TextForm.Statement read, Moment moment) {
    moment.require(
        Untruth.Kind.NAMES, !read.names("names").isEmpty(), "it names the Nodes that are blocked");
  }

  static final Wording BY_FORCE =
      Wording.ofNode(
          "The drain's deadline passed at {at}; deleting {pods#Pod} left: {owners~}.",
          DrainWordings::left);

  static final List<Wording> FORCED =
      List.of(
          BY_FORCE,
          Wording.counting(
              "nodes",
              "The drain's deadline passed for {nodes#Node}[ ({names~nodes})]; the Pods left are deleted.",
              FORM));

  /** So many Pods are left on the Node that do not belong to it. */
  static void left(TextForm.Statement read, Moment moment) {
    int left = read.number("pods");
    moment.require(COUNT, moment.livePods(moment.name(), left), "so many Pods are left");
    moment.require(STATE, left > 0, "Pods are left");
  }
}
