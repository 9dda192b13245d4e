package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.OBJECT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Messages;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

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

  private static final Check CORDONED_NOW =
      Check.node(node -> !node.cordoned(), "it is cordoned just now");

  /** Each Node that is named was cordoned. */
  private static final Check WERE_CORDONED =
      Check.each(
          "names",
          STATE,
          "the Node was cordoned",
          (name, moment) -> Wording.once(name, moment, Node::cordoned));

  static final List<Wording> CORDONED =
      Wording.all(
          Wording.alsoWithoutMachine(
              Wording.ofNode(
                  "Node {node} is cordoned[ again]: it is to leave NodePool {pool}.", CORDONED_NOW),
              Wording.ofNode(
                  "Node {node} is cordoned[ again]: it is preempted.",
                  CORDONED_NOW.and(
                      Check.host(host -> host.reclaim().isPresent(), "its machine is reclaimed"))),
              Wording.ofNode(
                  "Node {node} is cordoned[ again]: {why*}.", CORDONED_NOW.and(Causes.WHY))),
          Wording.disrupted("", " cordoned to be removed.", WERE_CORDONED),
          Wording.disrupted(
              "",
              " cordoned for preemption: the fleet takes the first at {at}.",
              WERE_CORDONED.and(
                  Check.that(
                      STATE, DrainWordings::isTaken, "a machine of the pool is taken then"))),
          Wording.disrupted("", " cordoned for preemption.", WERE_CORDONED),
          Wording.disrupted(
              "",
              " cordoned for a reboot or a verification: {why*}.",
              WERE_CORDONED.and(RemovalWordings::areWhy)),
          Wording.disrupted(
              "",
              " cordoned for a reboot or a verification, each since {why*}.",
              WERE_CORDONED.and(RemovalWordings::areWhy)),
          Wording.disrupted("", " cordoned for a reboot or a verification.", WERE_CORDONED),
          Wording.disrupted(
              "Another client uncordoned ",
              ": cordoned again {purpose*}.",
              WERE_CORDONED.and(DrainWordings::isPurpose)));

  /** Whether a machine of the pool is taken back at this instant. */
  private static boolean isTaken(TextForm.Statement read, Moment moment) {
    Predicate<Host> taken =
        host ->
            host.isHeldBy(moment.text().uid())
                && host.reclaim()
                    .filter(notice -> read.word("at").equals(Messages.instant(notice.reclaimAt())))
                    .isPresent();
    return moment.chronicle().hostNames().stream().anyMatch(name -> moment.host(name, taken));
  }

  private static final Check UNCORDONED_NOW =
      Check.node(Node::cordoned, "it is uncordoned just now");

  static final List<Wording> UNCORDONED =
      Wording.all(
          Wording.alsoWithoutMachine(
              Wording.ofNode(
                  "Node {node} is uncordoned and stays in NodePool {pool}: {why*}.",
                  UNCORDONED_NOW.and(
                      (read, moment) -> Causes.stays(read.word("why"), read.word("pool"), moment))),
              Wording.ofNode(
                  "Node {node} is uncordoned and is back in production.", UNCORDONED_NOW)),
          Wording.disrupted("", " uncordoned: no longer to be removed.", FORM),
          Wording.disrupted("", " uncordoned: no longer preempted.", FORM),
          Wording.disrupted("", " uncordoned: no longer to be rebooted or verified.", FORM));

  static final List<Wording> DRAINING =
      Wording.all(
          Wording.alsoWithoutMachine(
              Wording.ofNode(
                  "Node {node} is being drained: {pods#Pod} left: {owners~}.",
                  DrainWordings::left)),
          Wording.disrupted("", " being drained {purpose*}.", DrainWordings::isPurpose));

  static final Wording OF_BUDGETS =
      Wording.ofNode(
          "Budgets block the eviction of {pods#Pod}: {blocked~pods}. Tried again every {every}; deleted at {at}.[ Its machine stops at {stop}.]",
          Check.each("blocked", OBJECT, "the Pod is on the Node", DrainWordings::isThere));

  private static boolean isThere(String text, Moment moment) {
    Predicate<Pod> is = pod -> text.startsWith("%s/%s (".formatted(pod.namespace(), pod.name()));
    return moment
        .chronicle()
        .pods(moment.name())
        .ever(moment.since(), pods -> pods.stream().anyMatch(is));
  }

  static final List<Wording> BLOCKED =
      Wording.all(
          Wording.alsoWithoutMachine(OF_BUDGETS),
          Wording.disrupted(
              "PodDisruptionBudgets blocked the drain of ",
              " {purpose*}; an Event of the Node says which.",
              Check.of(DrainWordings::isPurpose)
                  .and(
                      Check.that(
                          Untruth.Kind.NAMES,
                          (read, moment) -> !read.names("names").isEmpty(),
                          "it names the Nodes that are blocked"))));

  static final Wording BY_FORCE =
      Wording.ofNode(
          "The drain's deadline passed at {at}; deleting {pods#Pod} left: {owners~}.[ It fails at present: {failure*}.]",
          DrainWordings::left);

  static final List<Wording> FORCED =
      Wording.all(
          Wording.alsoWithoutMachine(BY_FORCE),
          Wording.disrupted(
              "The deadline of the drain passed for ",
              " {purpose*}; the Pods that were left are deleted.",
              DrainWordings::isPurpose));

  /** So many Pods are left on the Node that do not belong to it. */
  static void left(TextForm.Statement read, Moment moment) {
    int left = read.number("pods");
    moment.require(COUNT, moment.work().livePods(moment.name()).has(left), "so many Pods are left");
    moment.require(STATE, left > 0, "Pods are left");
  }
}
