package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A kind of cause: its words, its rule, and its row of the record on Nodes.
 *
 * @param word the cause as written in a Node's record
 * @param text the cause in a sentence: {@code "Node g1 leaves: " + text}
 * @param meaning the state of the Node with this cause
 * @param rule its constants
 * @param read reads the cause with this reference from a record; throws IllegalArgumentException or
 *     DateTimeException if it cannot be read
 * @param found what the plan of the machine derives from objects; always empty for a cause that is
 *     not derived
 * @param ofPool why Nodes of a pool with this target are disrupted for it, while the pool holds
 *     this number of machines: {@code "Removing 2 Nodes: " + ofPool.apply(3, 5)}
 * @param label the label that a Node has while the cause is on its record
 * @param progressLabel the label that a Node gets with the Event that the drain for this is in
 *     progress; of the causes on one record only the last one with such a label emits the Event
 * @param blame what is recorded on the Host when a Node leaves for this
 */
@RecordBuilder
public record CauseKind(
    String word,
    String text,
    String meaning,
    CauseRule rule,
    Function<String, DisruptionCause> read,
    Function<CauseFacts, Optional<Disruption.Cause>> found,
    BiFunction<Integer, Integer, String> ofPool,
    Optional<NodeLabels> label,
    Optional<NodeLabels> progressLabel,
    Blame blame)
    implements CauseKindCopy.With {
  /** What is recorded on the Host when a Node leaves for a cause. */
  public enum Blame {
    /** Nothing. */
    NONE,
    /** A failed delivery. */
    DELIVERY,
    /** A failed reboot. */
    REBOOT,
    /** An alert for which it is taken out of service. */
    ALERT
  }

  /** A kind that is not derived from objects, and blames no Host. */
  CauseKind(
      String word,
      String text,
      String meaning,
      CauseRule rule,
      Function<String, DisruptionCause> read) {
    this(
        word,
        text,
        meaning,
        rule,
        read,
        _ -> Optional.empty(),
        (_, _) -> text,
        Optional.empty(),
        Optional.empty(),
        Blame.NONE);
  }
}
