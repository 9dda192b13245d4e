package io.nodepool.world.check.silence;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.chronicle.ObjectTrack;
import io.nodepool.world.check.text.Untruth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why something that happened to a Node need not be reported, or not any more. */
final class Excuses {
  /** How soon after it something counts as having happened at the same time. */
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  private final Chronicle chronicle;

  Excuses(Chronicle chronicle) {
    this.chronicle = chronicle;
  }

  /**
   * Whether something else came between what happened and its report: the pool lost the machine, so
   * it no longer counts the Node; its status lost what had been counted (decision D89); the Pods
   * went that a budget kept, or the drain was taken back or waits since its alerts are off, and it
   * blocks nothing any more; or the Node has left, and its machine is kept for inspection.
   */
  boolean isOvertaken(Fact fact) {
    boolean ofPool = fact.about() == Untruth.About.POOL;
    boolean blocked = fact.reason() == EventReason.NODE_DRAINING_PDB_VIOLATION;
    return ((ofPool || blocked) && isLostAtOnce(fact))
        || (blocked && (isUnblockedAtOnce(fact) || isDrainOverAtOnce(fact) || isPausedAtOnce(fact)))
        || (ofPool && (isForgotten(fact) || isPreserved(fact)));
  }

  private boolean isPreserved(Fact fact) {
    return chronicle
        .host(fact.node())
        .at(fact.at().plus(AT_ONCE))
        .flatMap(Host::preserved)
        .isPresent();
  }

  /** Whether the pool lost the machine just when it happened. */
  private boolean isLostAtOnce(Fact fact) {
    String pool = chronicle.node(fact.node()).at(fact.at()).map(Node::poolUid).orElse("");
    return chronicle
        .host(fact.node())
        .lastWasNot(host -> host.serves(pool))
        .filter(lost -> Duration.between(lost, fact.at()).abs().compareTo(AT_ONCE) <= 0)
        .isPresent();
  }

  private boolean isDrainOverAtOnce(Fact fact) {
    return chronicle
        .node(fact.node())
        .at(fact.at().plus(AT_ONCE))
        .filter(Node::isCommitted)
        .isEmpty();
  }

  /** Whether it is drained for alerts alone, and none of them stood just then. */
  private boolean isPausedAtOnce(Fact fact) {
    List<DisruptionCause> causes =
        chronicle.node(fact.node()).at(fact.at()).stream()
            .flatMap(node -> node.activeDisruption().stream())
            .flatMap(active -> active.causes().stream())
            .map(Disruption.Cause::what)
            .toList();
    Set<String> alerts =
        causes.stream()
            .flatMap(cause -> cause.repaired().stream())
            .map(DisruptionCause.Repaired::alert)
            .collect(Collectors.toSet());
    return !causes.isEmpty()
        && causes.stream().allMatch(cause -> cause.isRepair() || cause.isAlertVerification())
        && chronicle.signals(fact.node()).at(fact.at().plus(AT_ONCE)).stream()
            .noneMatch(signal -> signal.stands() && alerts.contains(signal.name()));
  }

  private boolean isUnblockedAtOnce(Fact fact) {
    List<Pod> then = chronicle.pods(fact.node()).at(fact.at().plus(AT_ONCE));
    return chronicle.pods(fact.node()).at(fact.at()).stream()
        .anyMatch(pod ->
            pod.deletedAt().isEmpty()
                && then.stream()
                    .noneMatch(each -> each.uid().equals(pod.uid()) && each.deletedAt().isEmpty()));
  }

  /** Whether the pool's status lost a batch since. */
  private boolean isForgotten(Fact fact) {
    return chronicle
        .node(fact.node())
        .at(fact.at())
        .map(node -> chronicle.pool(node.metadata().label(NodeLabels.NODE_POOL)))
        .filter(pool ->
            Stream.of(CauseRule.CountsAs.values()).anyMatch(as -> fell(pool, as, fact.from())))
        .isPresent();
  }

  private static boolean fell(ObjectTrack<Pool> pool, CauseRule.CountsAs as, Instant since) {
    int later = Integer.MAX_VALUE;
    for (Optional<Pool> seen : pool.since(since)) {
      int number = seen.map(each -> each.status().events().batch(as).number()).orElse(0);
      if (number > later) {
        return true;
      }
      later = number;
    }
    return false;
  }

  /** Whether the Node existed while its pool did not hold its machine, then or later. */
  boolean lostItsMachine(Fact fact) {
    ObjectTrack<Host> machine = chronicle.host(fact.node());
    Instant lost = machine.lastWasNot(host -> host.serves(fact.uid())).orElse(Instant.MAX);
    return fact.about() == Untruth.About.POOL
        && fact.cause().equals(Silence.REMOVAL)
        && machine.wasNot(fact.at(), host -> host.serves(fact.uid()))
        && chronicle
            .node(fact.node())
            .at(lost.isBefore(fact.at()) ? fact.at() : lost)
            .filter(node -> node.poolUid().equals(fact.uid()))
            .isPresent();
  }

  /** Whether the object still exists on which it must be said. */
  boolean exists(Fact fact) {
    return fact.about() == Untruth.About.NODE
        || chronicle
            .node(fact.node())
            .ever(
                fact.at(),
                node ->
                    node.flatMap(each ->
                            chronicle.pool(each.metadata().label(NodeLabels.NODE_POOL)).latest())
                        .filter(pool -> pool.id().uid().equals(fact.uid()))
                        .isPresent());
  }
}
