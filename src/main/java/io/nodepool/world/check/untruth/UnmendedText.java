package io.nodepool.world.check.untruth;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.untruth.Untruth.About;
import io.nodepool.world.check.untruth.Untruth.Kind;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the oracle finds and is not mended yet, as docs/testing.md lists it. A find that is not here
 * ends its run, and one that no longer occurs in its run fails the test of the list, so that this
 * list only gets shorter.
 */
public enum UnmendedText {
  NOTICE_NOT_WITHDRAWN(
      "a notice of preemption was withdrawn that stands",
      new Rule(
          About.NODE,
          Kind.CAUSE,
          "it stays for that, without its machine: its fleet withdrew the notice of preemption"),
      EventReason.NODE_UNCORDONED.word()),
  REQUEST_NOT_TAKEN_BACK(
      "a request was taken back that stands, of a Node that is without its machine or not registered",
      new Rule(
          About.NODE,
          Kind.CAUSE,
          "it stays for that, without its machine: its request was taken back",
          "it stays for that, though it is not registered: its request was taken back"),
      EventReason.NODE_UNCORDONED.word()),
  NEEDED_FOR_ANOTHER_CAUSE(
      "a Node is needed again by a pool that has enough, with work on it, or while another one is lost or asked to reboot",
      new Rule(
          About.NODE,
          Kind.CAUSE,
          "it stays for that, with work: the pool needs it again",
          "it stays for that, while another one is lost: the pool needs it again",
          "it stays for that, while another one is asked to reboot: the pool needs it again"),
      EventReason.NODE_UNCORDONED.word()),
  PREEMPTED_OR_DELETED(
      "a preempted Node may have been deleted by others",
      new Rule(About.POOL, Kind.CAUSE, "others deleted it"),
      EventReason.NODE_DELETED.word()),
  NOT_GONE(
      "a Node is deleted that exists, without its machine",
      new Rule(About.POOL, Kind.STATE, "the Node is gone that has no machine of the pool"),
      EventReason.NODE_DELETED.word(),
      EventReason.NODE_PREPARED_FOR_TERMINATE.word()),
  REMOVED_FOR_THE_TARGET(
      "Nodes leave because of a target that the pool does not exceed",
      new Rule(About.POOL, Kind.CAUSE, "it has more Nodes than the target, which rose"),
      EventReason.NODE_POOL_REMOVE_NODES.word()),
  LEFT_FOR_ANOTHER_CAUSE(
      "a Node that is preempted, gone or not registered leaves because of a target that the pool does not exceed",
      new Rule(
          About.POOL,
          Kind.CAUSE,
          "it has more Nodes than the target, or one is preempted, gone or not registered"),
      EventReason.NODE_POOL_REMOVE_NODES.word()),
  MORE_NAMES(
      "a number of Nodes stands beside other names",
      new Rule(About.POOL, Kind.NAMES, "no more names than the number"),
      EventReason.NODE_REGISTERED.word(),
      EventReason.NODE_DELETED.word(),
      EventReason.NODE_TAINTED.word(),
      EventReason.NODE_UNTAINTED.word()),
  BLOCKED_NODES_NOT_NAMED(
      "budgets block drains of Nodes that are not named",
      new Rule(About.POOL, Kind.NAMES, "it names the Nodes that are blocked"),
      EventReason.NODE_DRAINING_PDB_VIOLATION.word()),
  CORDONED_AGAIN(
      "nothing is said on a Node that is cordoned again",
      Rule.ofEachCause(About.NODE, " again"),
      EventReason.NODE_CORDONED.word()),
  CORDONED_AGAIN_IN_POOL(
      "nothing is said on the pool of a Node that is cordoned again",
      Rule.ofEachCause(About.POOL, " again"),
      EventReason.NODE_CORDONED.word()),
  DRAINED_LATER(
      "nothing is said of a drain of Pods that came after its begin",
      Rule.ofEachCause(About.NODE, ", of a later Pod"),
      EventReason.NODE_DRAINING.word()),
  DRAINED_LATER_IN_POOL(
      "a pool says nothing of a drain of Pods that came after its begin",
      new Rule(About.POOL, Kind.SILENCE, "it is said for a removal, of a later Pod"),
      EventReason.NODE_DRAINING.word()),
  REBOOT_BLOCKED_OR_FORCED(
      "nothing is said on a Node of budgets that block its reboot, and of force for it",
      new Rule(About.NODE, Kind.SILENCE, "it is said for a reboot"),
      EventReason.NODE_DRAINING_PDB_VIOLATION.word(),
      EventReason.NODE_DRAINING_FORCE_DELETE.word()),
  REBOOT_IN_POOL(
      "a pool says nothing of a Node that is cordoned and drained for a reboot",
      Rule.ofPoolsFor("a reboot"),
      ofDrains()),
  PREEMPTION_IN_POOL(
      "a pool says nothing of a Node that is cordoned and drained for its preemption",
      Rule.ofPoolsFor("a preemption"),
      ofDrains()),
  LOST_MACHINE_IN_POOL(
      "a pool says nothing of a Node that leaves because it has no machine",
      Rule.ofPoolsFor("a lost machine"),
      ofDrains());

  /**
   * A rule of the oracle.
   *
   * @param what the rules of this kind, in their words
   */
  private record Rule(About about, Kind kind, Set<String> what) {
    Rule(About about, Kind kind, String... what) {
      this(about, kind, Set.of(what));
    }

    /** Something is said for each cause. */
    static Rule ofEachCause(About about, String how) {
      return new Rule(
          about,
          Kind.SILENCE,
          "it is said for a removal" + how,
          "it is said for a preemption" + how,
          "it is said for a lost machine" + how,
          "it is said for a reboot" + how);
    }

    /** Something is said on a pool for this cause, whenever it happens. */
    static Rule ofPoolsFor(String cause) {
      String text = "it is said for " + cause;
      return new Rule(About.POOL, Kind.SILENCE, text, text + ", of a later Pod");
    }
  }

  private final String text;
  private final Rule rule;
  private final Set<String> reasons;

  UnmendedText(String text, Rule rule, String... reasons) {
    this.text = text;
    this.rule = rule;
    this.reasons = Stream.of(reasons).collect(Collectors.toUnmodifiableSet());
  }

  private static String[] ofDrains() {
    return Stream.of(
            EventReason.NODE_CORDONED,
            EventReason.NODE_UNCORDONED,
            EventReason.NODE_DRAINING,
            EventReason.NODE_DRAINING_PDB_VIOLATION,
            EventReason.NODE_DRAINING_FORCE_DELETE)
        .map(EventReason::word)
        .toArray(String[]::new);
  }

  /**
   * What is said though it is not so, or not said though it is, in the words of docs/testing.md.
   */
  public String text() {
    return text;
  }

  /** The entry for what was found; empty if it is not on the list. */
  public static Optional<UnmendedText> of(Untruth untruth) {
    return Stream.of(values())
        .filter(each ->
            each.rule.about() == untruth.about()
                && each.rule.kind() == untruth.kind()
                && each.rule.what().contains(untruth.what())
                && each.reasons.contains(untruth.reason()))
        .findFirst();
  }
}
