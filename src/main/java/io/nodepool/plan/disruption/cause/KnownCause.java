package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.CandidateRank;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A cause of disruption: a typed fact with its rule, what it demands, and its words. Each cause is
 * one file; other code uses this interface, and does not know which causes there are. A new cause
 * is one file, and one line in each of the two lists here.
 */
public sealed interface KnownCause extends DisruptionCause
    permits AlertVerificationCause,
        MachineOutageCause,
        NoMachineCause,
        OrphanedCause,
        PoolDeletionCause,
        PreemptionCause,
        RebootFailedCause,
        RegistrationFailedCause,
        RepairCause,
        RequestedRebootCause,
        RolloutCause,
        ScaleDownCause {
  /** The list of all kinds of cause. */
  final class Catalogue {
    /** All kinds, in the order of causes in records and texts. */
    public static final List<CauseKind> ALL =
        List.of(
            ScaleDownCause.KIND,
            PoolDeletionCause.KIND,
            RegistrationFailedCause.KIND,
            MachineOutageCause.KIND,
            OrphanedCause.KIND,
            NoMachineCause.KIND,
            PreemptionCause.KIND,
            RequestedRebootCause.REBOOT,
            RequestedRebootCause.RECONFIGURATION,
            RolloutCause.KIND,
            RequestedRebootCause.VERIFICATION,
            RebootFailedCause.KIND,
            AlertVerificationCause.KIND,
            RepairCause.BOOT,
            RepairCause.OUT);

    private Catalogue() {}

    /** The kind with this word. */
    public static Optional<CauseKind> of(String word) {
      return ALL.stream().filter(kind -> kind.word().equals(word)).findFirst();
    }
  }

  /** Whether the drain of the Node for a cause is taken back (decisions D173 and D325). */
  enum TakenBack {
    /** It is not taken back. */
    NO,
    /** It may be: nothing is evicted for it until that is known. */
    ASKED,
    /** It is taken back. */
    YES,
    /** The drain has not begun for this cause: it loses nothing and is admitted anew. */
    UNHARMED
  }

  /** The kind of the cause: its place in the list of all causes, its rule and its row. */
  CauseKind kind();

  /**
   * What the cause demands of the Node now. A cause without instants of its own demands that the
   * Node leaves, as the pool's strategy allows.
   *
   * @param at when the Node was first disrupted for it
   */
  default Demand demand(Instant at, CauseFacts facts) {
    return facts.leaving(at);
  }

  /**
   * Whether the cause is given up if the Node has tenant work. Else the Node stays cordoned until
   * the work ends, or the work is interrupted when the demand allows that.
   */
  default boolean endsWhenBusy(Instant at, CauseFacts facts) {
    return demand(at, facts).carriedOut(true).window().interruptAt().equals(Instant.MAX);
  }

  /** Whether the cause waits although it is recorded: it adds nothing to the demands of others. */
  default boolean isHeld(CauseFacts facts) {
    return false;
  }

  /** Whether the drain of the Node for this is taken back. */
  default TakenBack takenBack(CauseFacts facts) {
    return TakenBack.NO;
  }

  /** Whether it interrupts work because of a client's policy. */
  default boolean isImmediate() {
    return false;
  }

  /** The rank with which its pool chose the Node; empty if it did not choose. */
  default Optional<CandidateRank> chosenRank() {
    return Optional.empty();
  }

  /** Why the Node is cordoned: {@code "Node g1 is cordoned: " + cordonText(pool)}. */
  default String cordonText(PoolId pool) {
    return leaves() ? "it is to leave NodePool " + pool.name() : text();
  }

  /**
   * What would keep a Node that must leave for this, as a sentence; empty if no action of a client
   * on the Node would.
   *
   * @param at when it was recorded
   */
  default Optional<String> keptText(Instant at, CauseFacts facts) {
    return Optional.of("It stays if it gets tenant work before it is drained.")
        .filter(_ -> endsWhenBusy(at, facts));
  }

  /** Why it is withdrawn when it is no longer demanded of a Node that has its machine. */
  default String withdrawnText(CauseFacts facts) {
    return "its pool does not hold its machine any more";
  }

  /** Why a disruption for these causes is withdrawn when none is demanded any more. */
  static String withdrawnText(List<Disruption.Cause> causes, CauseFacts facts) {
    if (facts.host().isEmpty()) {
      return "its pool does not hold its machine any more";
    }
    return causes.stream()
        .min(
            Comparator.comparing((Disruption.Cause cause) ->
                    cause.rule().countsAs() != CauseRule.CountsAs.PREEMPTION)
                .thenComparing(cause -> !cause.rule().isOfPool()))
        .map(cause -> of(cause).withdrawnText(facts))
        .orElseThrow();
  }

  /** The cause's own Event, which precedes its record. */
  default Optional<EventDraft> announced(Node node, PoolId pool) {
    return Optional.empty();
  }

  /** The conditions that a Node gets when its drain for this begins. */
  default List<ConditionChange> conditions(Node node) {
    return List.of();
  }

  /** The Event that the drain for this is in progress. */
  default Optional<EventDraft> progress(Node node, PoolId pool) {
    return Optional.empty();
  }

  /**
   * The deletion of a Node whose drain for this was in progress, with the Event of its end.
   *
   * @param cutOff the number of Pods that the end of its machine cut off
   */
  default PlannedAction ended(PlannedAction deletion, Node node, PoolId pool, int cutOff) {
    return deletion;
  }

  @Override
  default CauseRule rule() {
    return kind().rule();
  }

  @Override
  default int order() {
    return Catalogue.ALL.indexOf(kind());
  }

  @Override
  default String word() {
    return kind().word();
  }

  @Override
  default String text() {
    return kind().text();
  }

  @Override
  default String reference() {
    return "";
  }

  /** This cause, first recorded at this instant. */
  default Disruption.Cause at(Instant at) {
    return new Disruption.Cause(this, at);
  }

  /** The cause of an occurrence. */
  static KnownCause of(Disruption.Cause occurrence) {
    return (KnownCause) occurrence.what();
  }
}
