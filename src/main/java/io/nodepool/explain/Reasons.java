package io.nodepool.explain;

import io.nodepool.model.node.Member;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.pool.ScaleDownCandidates.Verdict;
import io.nodepool.vocabulary.CandidateRank;

/**
 * A sentence for each limit, wait and refusal of the planners. The switches are exhaustive, so a
 * new one does not compile without an answer.
 */
final class Reasons {
  private Reasons() {}

  /** What holds a disruption, and what releases it. */
  static String of(Decision.Held held, DisruptionAdmission admission) {
    return switch (held.limit()) {
      case PAUSED -> admission.pauseText() + ", until a person resumes it";
      case FLEET_UNKNOWN -> "the fleet cannot be reached";
      case UNWATCHED -> "no operator watched for a while, until just now";
      case CATALOGUE_UNREADABLE ->
          "the alert catalogue cannot be read, until its ConfigMap is corrected";
      case AT_ONCE -> "one plan cordons no more Nodes; the next one does";
      case UNAVAILABLE ->
          "too many Nodes of the pool are unavailable, %d of at most %d, until some are back"
              .formatted(held.count(), held.most());
      case IN_A_ROW -> "too many Nodes in a row left the pool for this, until a person releases it";
      case IN_FLIGHT ->
          "too many Nodes leave the pool for this, %d of at most %d, until one has left"
              .formatted(held.count(), held.most());
      case IN_FLIGHT_IN_FLEET ->
          "too many Nodes of all pools leave for this, %d of at most %d, until one has left"
              .formatted(held.count(), held.most());
      case RATE -> "one has just begun; the next one follows within a minute";
    };
  }

  /** What becomes of a Node that could leave, and why. */
  static String of(Verdict verdict) {
    return switch (verdict.outcome()) {
      case CHOSEN -> verdict.text();
      case WAITING -> "it has tenant work, which its pool does not end";
      case PASSED_OVER -> "its pool passes it over for some minutes";
      case KEPT ->
          "its pool has no Node too many beyond those before it; %s, place %d of %d"
              .formatted(kept(verdict), verdict.place(), verdict.of());
    };
  }

  /** What a Node is that is not needed for the target. */
  static String kept(Verdict verdict) {
    // The text of this rank is that of a chosen Node.
    return verdict.rank() == CandidateRank.ACTIVE ? "it has tenant work" : verdict.rank().text();
  }

  /** What is awaited of a machine. */
  static String of(Member.Awaited awaited) {
    return switch (awaited) {
      case DELIVERY -> "its machine has to boot";
      case REGISTRATION -> "its machine has booted, and has to join as a Node that becomes Ready";
      case OUTAGE -> "its machine does not run any more, as its fleet reports";
    };
  }

  /** Why nothing is done for an alert. */
  static String of(SuspectedAlert.Verdict verdict) {
    return switch (verdict) {
      case PENDING -> "it is in doubt, until machines were verified for it";
      case FALSE_ALARM -> "it is a false alarm, for a day or until a person releases it";
      case GENUINE -> "it is genuine";
      case HELD -> "nobody can learn whether it is true, until a person releases it";
    };
  }

  /** Why a Node does not get the active configuration now. */
  static String of(RolloutState.Phase phase) {
    return switch (phase) {
      case NONE -> "no rollout is under way; it gets it with its next reboot";
      case RUNNING -> "a rollout is under way, and has not begun with it";
      case STOPPED -> "the rollout was stopped, until a person starts it";
      case PAUSED -> "the rollout has paused, until a person starts it";
    };
  }
}
