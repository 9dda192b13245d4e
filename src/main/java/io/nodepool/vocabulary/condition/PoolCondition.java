package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.DefinedWord;
import io.nodepool.vocabulary.ReferenceGeneration;
import io.nodepool.vocabulary.Word;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The conditions of a NodePool (contract §4), in the order in which they are listed on the object.
 * The last four belong to the oldest reference and are published on request (decision D244).
 */
public enum PoolCondition implements Word {
  VALIDATED("Is the spec valid?"),
  CAPACITY("Does the fleet have machines for the Nodes that the pool still lacks?"),
  QUOTA("Does the pool's target fit into the organisation's quota for its instance type and zone?"),
  AT_TARGET("Does the pool have its target number of Nodes?"),
  NODES_REMOVED(
      "Are all Nodes of a pool that is being deleted removed? Present only while it is being deleted."),
  NODE_RECONFIGURATION_REQUIRED(
      "Are there Nodes that have not booted into the active configuration?"),
  REPAIRS_HELD(
      "Are repairs held? Present only while they are; a repair that only waits for its turn does not count. Specific to this operator."),
  ACCEPTED(ReferenceGeneration.OLDEST, "Is the spec valid?"),
  ALLOCATED(ReferenceGeneration.OLDEST, "Does the pool have its target number of Nodes?"),
  METADATA_SYNCED(
      ReferenceGeneration.OLDEST,
      "Do all Nodes of the pool have the labels, annotations and taints of its spec?"),
  SUFFICIENT_CAPACITY(
      ReferenceGeneration.OLDEST,
      "Does the fleet have machines for the Nodes that the pool still lacks?");

  private final ReferenceGeneration generation;
  private final String meaning;

  PoolCondition(String meaning) {
    this(ReferenceGeneration.CURRENT, meaning);
  }

  PoolCondition(ReferenceGeneration generation, String meaning) {
    this.generation = generation;
    this.meaning = meaning;
  }

  /** Whether it belongs to the newer references, and is always published. */
  public boolean isCurrent() {
    return generation == ReferenceGeneration.CURRENT;
  }

  /** The condition's type on the wire. */
  public String type() {
    return word();
  }

  /** Its status while nothing is wrong (T10). */
  public ConditionStatus healthy() {
    return this == NODE_RECONFIGURATION_REQUIRED || this == REPAIRS_HELD
        ? ConditionStatus.FALSE
        : ConditionStatus.TRUE;
  }

  /** The question that the condition answers. */
  public String meaning() {
    return meaning;
  }

  /** Loaded on first use, because the reasons refer to their conditions. */
  private static final class Reasons {
    private static final List<PoolReason> ALL =
        Stream.of(PoolReason.class.getPermittedSubclasses())
            .map(Class::getEnumConstants)
            .flatMap(Stream::of)
            .map(PoolReason.class::cast)
            .sorted(Comparator.comparing(PoolReason::condition))
            .toList();
  }

  /** Every reason, by condition. */
  public static List<PoolReason> allReasons() {
    return Reasons.ALL;
  }

  /** The reasons that it may have. */
  public List<PoolReason> reasons() {
    return Reasons.ALL.stream().filter(reason -> reason.condition() == this).toList();
  }

  /** The reason with this word; empty if there is none. */
  public Optional<PoolReason> reason(String word) {
    return reasons().stream().filter(reason -> reason.word().equals(word)).findFirst();
  }

  /**
   * A reason of a condition of a NodePool (contract §4). A reason determines its condition and the
   * condition's status, so that neither can contradict it.
   */
  public sealed interface PoolReason extends DefinedWord
      permits ValidatedReason,
          CapacityReason,
          QuotaReason,
          AtTargetReason,
          NodesRemovedReason,
          NodeReconfigurationReason,
          RepairsHeldReason,
          AcceptedReason,
          AllocatedReason,
          MetadataSyncedReason,
          SufficientCapacityReason {

    /**
     * The properties of a reason.
     *
     * @param condition the condition that may have it
     * @param status the status that the condition has with it
     * @param meaning what it reports about the pool
     * @param message the message of the real service for it; empty if none is known
     */
    record Facts(
        PoolCondition condition, ConditionStatus status, String meaning, Optional<String> message) {
      /**
       * The properties of a reason.
       *
       * @param message the message of the real service for it, if one is known
       */
      Facts(PoolCondition condition, ConditionStatus status, String meaning, String... message) {
        this(condition, status, meaning, Stream.of(message).findFirst());
      }
    }

    /** The properties of this reason. */
    Facts facts();

    /** The condition that may have this reason. */
    default PoolCondition condition() {
      return facts().condition();
    }

    /** The status that the condition has with this reason. */
    default ConditionStatus status() {
      return facts().status();
    }

    /** What the reason reports about the pool. */
    @Override
    default String meaning() {
      return facts().meaning();
    }

    /** The message of the real service for this reason; empty if none is known. */
    default Optional<String> message() {
      return facts().message();
    }
  }
}
