package io.nodepool.plan;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.vocabulary.DisruptionOutcome;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the disruption of a Node for one cause ends (decision D225).
 *
 * @param since when the cause was recorded
 * @param podsCutOff the number of Pods that the end of the machine cut off; 0 if the cause did not
 *     end the machine
 */
public record EndedCause(
    DisruptionCause cause, Instant since, DisruptionOutcome outcome, int podsCutOff) {
  /** The causes that a write removes from the record of a Node, each word once. */
  public static List<EndedCause> by(Action.WriteNode write, Optional<Disruption.Active> last) {
    return write.next().stream()
        .flatMap(next ->
            last.stream()
                .flatMap(active -> causes(active).stream())
                .filter(cause ->
                    next.active().filter(active -> active.isFor(cause.what().word())).isEmpty())
                .map(cause ->
                    new EndedCause(
                        cause.what(), cause.at(), outcome(cause.what(), write.purpose(), next), 0)))
        .toList();
  }

  /** The causes of a disruption, each word once: a later cause is the same disruption. */
  public static List<Disruption.Cause> causes(Disruption.Active active) {
    Map<String, Disruption.Cause> byWord = new LinkedHashMap<>();
    active.causes().forEach(cause -> byWord.putIfAbsent(cause.what().word(), cause));
    return List.copyOf(byWord.values());
  }

  private static DisruptionOutcome outcome(
      DisruptionCause cause, NodePurpose purpose, Disruption next) {
    if (purpose == NodePurpose.END) {
      return next.passedOverUntil().isAfter(next.at())
          ? DisruptionOutcome.FAILED
          : DisruptionOutcome.COMPLETED;
    }
    boolean yields =
        next.active().flatMap(active -> cause.rule().yieldsTo().filter(active::counts)).isPresent();
    return yields ? DisruptionOutcome.SUPERSEDED : DisruptionOutcome.WITHDRAWN;
  }
}
