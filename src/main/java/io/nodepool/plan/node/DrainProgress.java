package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * The announcement of some causes that their drain is in progress (seed 004): an Event, and a label
 * with the instant, which shows that the Event was emitted.
 */
record DrainProgress(KnownCause cause, NodeLabels label, EventDraft eventDraft, Instant now) {
  /** The form of an instant that is legal as a label value (contract T16). */
  private static final DateTimeFormatter LABEL_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /** The announcement of the last cause of a disruption that has one; empty if no cause has one. */
  static Optional<DrainProgress> of(Node node, PoolId pool, Disruption.Active active, Instant now) {
    return active.causes().stream()
        .map(KnownCause::of)
        .flatMap(cause ->
            cause
                .kind()
                .progressLabel()
                .flatMap(label ->
                    cause
                        .progress(node, pool)
                        .map(draft -> new DrainProgress(cause, label, draft, now)))
                .stream())
        .reduce((_, last) -> last);
  }

  /** This change, with the label. */
  MetadataChange on(MetadataChange change) {
    return change.withLabel(label.key(), Optional.of(LABEL_TIME.format(now)));
  }

  /** Whether the Node shows it. */
  boolean isShown(Node node) {
    return !node.metadata().label(label).isEmpty();
  }
}
