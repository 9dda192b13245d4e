package io.nodepool.cli.view;

import io.nodepool.model.node.Disruption;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * What is done with a Node under disruption, whatever the cause: in the live view, in {@code
 * rollout status} and in {@code node describe} with the same words. It is read from what is
 * recorded on the Node.
 *
 * @param stage how far it is: one word
 * @param why the causes, in a clause
 * @param since when the Node was first disrupted for them
 * @param waitsFor what has to happen next
 * @param until until when that is waited for at most; empty if the record has no limit
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
   * What a Node shows beside its record.
   *
   * @param state its lifecycle state; empty text if it shows none
   * @param removal the reason of its condition CWNodeRemoval while that is True; empty text without
   *     it
   * @param failedReboot the reboot from which its machine did not come back in any attempt, as the
   *     Node is marked; empty text without one
   * @param deleted whether the deletion of the Node object was accepted
   */
  public record Facts(String state, String removal, String failedReboot, boolean deleted) {}

  /** The view of a Node with this record. */
  public static DisruptionView of(Disruption.Active active, Facts facts) {
    Instant since = active.since();
    return switch (active) {
      case Disruption.Admitted _ ->
          new DisruptionView(
              "Cordoned",
              active.text(),
              since,
              "its drain to begin, and may still be taken back",
              Optional.empty());
      case Disruption.Committed committed ->
          committed.isLeaving()
              ? leaving(committed, since, facts)
              : rebooting(committed, since, facts);
    };
  }

  private static DisruptionView rebooting(
      Disruption.Committed committed, Instant since, Facts facts) {
    if (committed.name().equals(facts.failedReboot())) {
      return new DisruptionView(
          "Failed",
          committed.text(),
          since,
          "its machine to pass another verification, or its pool to let it leave",
          Optional.empty());
    }
    boolean begun =
        !facts.state().isEmpty() && !facts.state().equals(LifecycleState.PRODUCTION.word());
    boolean boots = committed.limits().boot().filter(BootKind::boots).isPresent();
    return begun
        ? new DisruptionView(
            boots ? "Rebooting" : "Verifying",
            committed.text(),
            since,
            boots ? "its machine to boot, and to be verified" : "its machine to be verified",
            Optional.empty())
        : drainingForBoot(committed, since);
  }

  /** Its condition says nothing of the drain; the record on the Node says how far it came. */
  private static DisruptionView drainingForBoot(Disruption.Committed committed, Instant since) {
    return switch (committed.drain()) {
      case NONE, BEGUN -> draining(committed, since, "its Pods to end");
      case BLOCKED ->
          draining(
              committed,
              since,
              "its Pods to end, whose eviction PodDisruptionBudgets have blocked");
      case FORCED -> forced(committed, since);
    };
  }

  private static DisruptionView leaving(
      Disruption.Committed committed, Instant since, Facts facts) {
    if (facts.deleted()) {
      return new DisruptionView(
          "Deleted", committed.text(), since, "finalizers of other clients", Optional.empty());
    }
    NodeRemovalReason reason =
        Word.of(NodeRemovalReason.class, facts.removal()).orElse(NodeRemovalReason.DRAINING);
    return switch (reason) {
      case MARKED, DRAINING -> draining(committed, since, "its Pods to end");
      case BLOCKED_BY_BUDGET ->
          draining(committed, since, "PodDisruptionBudgets to allow the next eviction");
      case FORCED -> forced(committed, since);
      case DETACHING ->
          new DisruptionView(
              "Detaching", committed.text(), since, "its volumes to be detached", stop(committed));
      case TERMINATING ->
          new DisruptionView(
              "Terminating", committed.text(), since, "its machine to stop", Optional.empty());
      case PRESERVED ->
          new DisruptionView(
              "Preserved", committed.text(), since, "people to inspect it", Optional.empty());
      case AWAITING_FINALIZERS ->
          new DisruptionView(
              "Deleted", committed.text(), since, "finalizers of other clients", Optional.empty());
    };
  }

  private static DisruptionView draining(
      Disruption.Committed committed, Instant since, String waitsFor) {
    Until force = new Until(committed.forceAt(), "the Pods left are deleted");
    Optional<Until> stop = stop(committed).filter(each -> each.at().isBefore(force.at()));
    return new DisruptionView(
        "Draining", committed.text(), since, waitsFor, stop.or(() -> Optional.of(force)));
  }

  private static DisruptionView forced(Disruption.Committed committed, Instant since) {
    return new DisruptionView(
        "Forced", committed.text(), since, "its deleted Pods to end", stop(committed));
  }

  private static Optional<Until> stop(Disruption.Committed committed) {
    return committed.limits().stopAt().map(at -> new Until(at, "its machine stops"));
  }

  /** All of it in a sentence. */
  public String text() {
    return "%s since %s: %s; waits for %s."
        .formatted(stage, text(since), why, waitsFor + untilText());
  }

  /** What it waits for, and until when. */
  public String waitText() {
    return waitsFor + untilText();
  }

  private String untilText() {
    return until
        .map(each -> ", until %s, then %s".formatted(text(each.at()), each.then()))
        .orElse("");
  }

  private static String text(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
