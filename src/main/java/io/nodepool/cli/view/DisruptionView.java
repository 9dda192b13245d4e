package io.nodepool.cli.view;

import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.node.Disruption;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.Optional;

/**
 * The disruption of a Node in words, for any cause: the live view, {@code rollout status} and
 * {@code node describe} use the same words. It is read from the record on the Node.
 *
 * @param stage the stage in one word
 * @param why the causes, in a clause
 * @param since when the Node was first disrupted for these causes
 * @param waitsFor what must happen next
 * @param until until when at most the Node waits; empty if the record has no limit
 */
public record DisruptionView(
    String stage, String why, Instant since, String waitsFor, Optional<Until> until) {
  /**
   * The end of a wait.
   *
   * @param then what happens at that instant
   */
  public record Until(Instant at, String then) {}

  /**
   * Facts of a Node that its record does not contain.
   *
   * @param state its lifecycle state; empty text if it has none
   * @param removal the reason of its condition CWNodeRemoval while the condition is True; else
   *     empty text
   * @param failedReboot the reboot whose attempts all failed, as the Node is marked; empty text if
   *     there is none
   * @param deleted whether the deletion of the Node object was accepted
   */
  public record Facts(String state, String removal, String failedReboot, boolean deleted) {}

  /** The stage, and what the Node waits for. */
  private record Step(String stage, String waitsFor, Optional<Until> until) {
    private Step(String stage, String waitsFor) {
      this(stage, waitsFor, Optional.empty());
    }
  }

  /**
   * The disruption under way in a record; empty if there is none, or this version cannot read it.
   *
   * @param record the value of the annotation; empty text if there is none
   */
  public static Optional<Disruption.Active> recorded(String record) {
    try {
      return DisruptionRecord.read(ObjectFacts.orAbsent(record)).flatMap(Disruption::active);
    } catch (UnreadableObjectException e) {
      return Optional.empty();
    }
  }

  /** The view of a Node with this record. */
  public static DisruptionView of(Disruption.Active active, Facts facts) {
    Step step =
        switch (active) {
          case Disruption.Admitted _ ->
              new Step("Cordoned", "its drain to begin, and may still be taken back");
          case Disruption.Committed committed ->
              committed.isLeaving() ? leaving(committed, facts) : rebooting(committed, facts);
        };
    return new DisruptionView(
        step.stage(), active.text(), active.since(), step.waitsFor(), step.until());
  }

  private static Step rebooting(Disruption.Committed committed, Facts facts) {
    if (committed.name().equals(facts.failedReboot())) {
      return new Step(
          "Failed", "its machine to pass another verification, or its pool to let it leave");
    }
    if (facts.state().isEmpty() || facts.state().equals(LifecycleState.PRODUCTION.word())) {
      return drainingForBoot(committed);
    }
    return committed.limits().boot().filter(BootKind::boots).isPresent()
        ? new Step("Rebooting", "its machine to boot, and to be verified")
        : new Step("Verifying", "its machine to be verified");
  }

  /** The condition does not report the drain; the record contains its progress. */
  private static Step drainingForBoot(Disruption.Committed committed) {
    return switch (committed.drain()) {
      case NONE, BEGUN -> draining(committed, "its Pods to end");
      case BLOCKED ->
          draining(committed, "its Pods to end, whose eviction PodDisruptionBudgets have blocked");
      case FORCED -> forced(committed);
    };
  }

  private static Step leaving(Disruption.Committed committed, Facts facts) {
    NodeRemovalReason reason =
        facts.deleted()
            ? NodeRemovalReason.AWAITING_FINALIZERS
            : Word.of(NodeRemovalReason.class, facts.removal()).orElse(NodeRemovalReason.DRAINING);
    return switch (reason) {
      case MARKED, DRAINING -> draining(committed, "its Pods to end");
      case BLOCKED_BY_BUDGET ->
          draining(committed, "PodDisruptionBudgets to allow the next eviction");
      case FORCED -> forced(committed);
      case DETACHING -> new Step("Detaching", "its volumes to be detached", stop(committed));
      case VERIFYING -> new Step("Verifying", "its machine to be verified");
      case TERMINATING -> new Step("Terminating", "its machine to stop");
      case PRESERVED -> new Step("Preserved", "people to inspect it");
      case AWAITING_FINALIZERS -> new Step("Deleted", "finalizers of other clients");
    };
  }

  private static Step draining(Disruption.Committed committed, String waitsFor) {
    Optional<Until> stop = stop(committed);
    Instant forceAt = committed.forceAt();
    String later =
        stop.map(each -> ", and %s at %s".formatted(each.then(), ObjectFacts.seconds(each.at())))
            .orElse("");
    Until force = new Until(forceAt, "the Pods left are deleted" + later);
    return new Step(
        "Draining",
        waitsFor,
        stop.filter(each -> each.at().isBefore(forceAt)).or(() -> Optional.of(force)));
  }

  private static Step forced(Disruption.Committed committed) {
    return new Step("Forced", "its deleted Pods to end", stop(committed));
  }

  private static Optional<Until> stop(Disruption.Committed committed) {
    return committed.limits().stopAt().map(at -> new Until(at, "its machine stops"));
  }

  /** The disruption in a sentence. */
  public String text() {
    return "%s since %s: %s; waits for %s."
        .formatted(stage, ObjectFacts.seconds(since), why, waitText());
  }

  /** What the Node waits for, and until when. */
  public String waitText() {
    return waitsFor
        + until
            .map(each ->
                ", until %s, then %s".formatted(ObjectFacts.seconds(each.at()), each.then()))
            .orElse("");
  }
}
