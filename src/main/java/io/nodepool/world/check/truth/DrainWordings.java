package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Messages;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The texts about Nodes that are cordoned, and about the eviction of their Pods. */
final class DrainWordings {
  private DrainWordings() {}

  private static final Set<String> PURPOSES =
      Set.of("to be removed", "for preemption", "for a reboot or a verification");

  static final List<Wording> OF_POOL =
      Wording.disrupted("Draining ", " {purpose*}.", DrainWordings::isPurpose);

  /** What Nodes are disrupted for is one of three. */
  static void isPurpose(TextForm.Statement read, Moment moment) {
    moment.require(
        Untruth.Kind.FORM, PURPOSES.contains(read.word("purpose")), "this is what it is done for");
  }

  private static final List<Wording> CORDONED_NODE =
      List.of(
          Wording.ofNode(
              "Node {node} is cordoned[ again]: it is to leave NodePool {pool}.",
              (_, moment) -> isCordonedNow(moment)),
          Wording.ofNode(
              "Node {node} is cordoned[ again]: it is preempted.",
              (_, moment) -> {
                isCordonedNow(moment);
                isReclaimed(moment);
              }),
          Wording.ofNode(
              "Node {node} is cordoned[ again]: {why*}.",
              (read, moment) -> {
                isCordonedNow(moment);
                Causes.check(read.word("why"), moment);
              }));

  /** Each Node that is named was cordoned. */
  private static final Wording.Check WERE_CORDONED =
      Wording.Check.each(
          "names",
          STATE,
          "the Node was cordoned",
          (name, moment) -> Wording.once(name, moment, Node::cordoned));

  static final List<Wording> CORDONED =
      Stream.of(
              CORDONED_NODE,
              List.of(Wording.withoutMachine(CORDONED_NODE)),
              Wording.disrupted("", " cordoned to be removed.", WERE_CORDONED),
              Wording.disrupted(
                  "",
                  " cordoned for preemption: the fleet takes the first at {at}.",
                  WERE_CORDONED.and(DrainWordings::isTaken)),
              Wording.disrupted("", " cordoned for preemption.", WERE_CORDONED),
              Wording.disrupted(
                  "",
                  " cordoned for a reboot or a verification: {why*}.",
                  WERE_CORDONED.and(RemovalWordings::areWhy)),
              Wording.disrupted("", " cordoned for a reboot or a verification.", WERE_CORDONED),
              Wording.disrupted(
                  "Another client uncordoned ",
                  ": cordoned again {purpose*}.",
                  WERE_CORDONED.and(DrainWordings::isPurpose)))
          .flatMap(List::stream)
          .toList();

  /** A machine of the pool is taken back at this instant. */
  private static void isTaken(TextForm.Statement read, Moment moment) {
    moment.require(
        STATE,
        moment.chronicle().hostNames().stream()
            .anyMatch(name ->
                moment.host(
                    name,
                    host ->
                        host.isHeldBy(moment.text().uid())
                            && host.reclaim()
                                .filter(notice ->
                                    read.word("at").equals(Messages.instant(notice.reclaimAt())))
                                .isPresent())),
        "a machine of the pool is taken then");
  }

  private static void isCordonedNow(Moment moment) {
    moment.require(
        STATE, moment.node(moment.name(), node -> !node.cordoned()), "it is cordoned just now");
  }

  private static final List<Wording> UNCORDONED_NODE =
      List.of(
          Wording.ofNode(
              "Node {node} is uncordoned and stays in NodePool {pool}: {why*}.",
              (read, moment) -> {
                isUncordonedNow(moment);
                Causes.stays(read.word("why"), read.word("pool"), moment);
              }),
          Wording.ofNode(
              "Node {node} is uncordoned and is back in production.",
              (_, moment) -> isUncordonedNow(moment)));

  static final List<Wording> UNCORDONED =
      Stream.of(
              UNCORDONED_NODE,
              List.of(Wording.withoutMachine(UNCORDONED_NODE)),
              Wording.disrupted("", " uncordoned: no longer to be removed.", FORM),
              Wording.disrupted("", " uncordoned: no longer preempted.", FORM),
              Wording.disrupted("", " uncordoned: no longer to be rebooted or verified.", FORM))
          .flatMap(List::stream)
          .toList();

  private static void isUncordonedNow(Moment moment) {
    moment.require(STATE, moment.node(moment.name(), Node::cordoned), "it is uncordoned just now");
  }

  private static void isReclaimed(Moment moment) {
    moment.require(
        STATE,
        moment.host(moment.name(), host -> host.reclaim().isPresent()),
        "its machine is reclaimed");
  }

  private static final Wording DRAINED =
      Wording.ofNode(
          "Node {node} is being drained: {pods#Pod} left: {owners~}.", DrainWordings::left);

  static final List<Wording> DRAINING =
      Stream.of(
              List.of(DRAINED, Wording.withoutMachine(List.of(DRAINED))),
              Wording.disrupted("", " being drained {purpose*}.", DrainWordings::isPurpose))
          .flatMap(List::stream)
          .toList();

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
      Stream.of(
              List.of(OF_BUDGETS, Wording.withoutMachine(List.of(OF_BUDGETS))),
              Wording.disrupted(
                  "PodDisruptionBudgets blocked the drain of ",
                  " {purpose*}; an Event of the Node says which.",
                  Wording.Check.of(DrainWordings::isPurpose)
                      .and((read, moment) ->
                          moment.require(
                              Untruth.Kind.NAMES,
                              !read.names("names").isEmpty(),
                              "it names the Nodes that are blocked"))))
          .flatMap(List::stream)
          .toList();

  static final Wording BY_FORCE =
      Wording.ofNode(
          "The drain's deadline passed at {at}; deleting {pods#Pod} left: {owners~}.",
          DrainWordings::left);

  static final List<Wording> FORCED =
      Stream.of(
              List.of(BY_FORCE, Wording.withoutMachine(List.of(BY_FORCE))),
              Wording.disrupted(
                  "The deadline of the drain passed for ",
                  " {purpose*}; the Pods that were left are deleted.",
                  DrainWordings::isPurpose))
          .flatMap(List::stream)
          .toList();

  /** So many Pods are left on the Node that do not belong to it. */
  static void left(TextForm.Statement read, Moment moment) {
    int left = read.number("pods");
    moment.require(COUNT, moment.livePods(moment.name(), left), "so many Pods are left");
    moment.require(STATE, left > 0, "Pods are left");
  }
}
