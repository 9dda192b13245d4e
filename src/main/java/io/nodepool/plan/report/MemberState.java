package io.nodepool.plan.report;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Occurrence;
import io.nodepool.plan.metadata.Reserving;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a machine in the pool that holds it, with the facts whose changes the pool's Events
 * report. Pure; occurrences follow from two successive states.
 *
 * @param pool UID of the pool, or empty text while none holds it
 * @param name name of the machine and its Node
 * @param power whether the machine must run
 * @param stopped whether it has stopped
 * @param node the Node of its current tenancy
 * @param introduced whether that Node is, or was observed to be, registered
 */
public record MemberState(
    String pool,
    String name,
    Host.Power power,
    boolean stopped,
    Optional<Node> node,
    boolean introduced) {
  /** A machine that no pool holds. */
  public static final MemberState NONE =
      new MemberState("", "", Host.Power.ON, false, Optional.empty(), false);

  /** The state of a Host and the Node of its name. */
  public static MemberState of(@Nullable Host host, @Nullable Node node) {
    if (host == null || host.assignment().isEmpty()) {
      return NONE;
    }
    PoolId pool = host.assignment().get().pool();
    boolean present = node != null && node.isOf(host);
    Optional<Node> joined = Optional.ofNullable(node).filter(each -> present);
    return new MemberState(
        pool.uid(),
        host.id().name(),
        host.power(),
        host.is(HostPhase.STOPPED),
        joined,
        joined.filter(Node::registered).isPresent());
  }

  /**
   * This state after {@code before}: a Node whose conditions another client removed still counts as
   * introduced.
   */
  public MemberState following(MemberState before) {
    return new MemberState(
        pool, name, power, stopped, node, introduced || (before.introduced && isSameNode(before)));
  }

  private boolean isSameNode(MemberState other) {
    return node.map(Node::uid).equals(other.node.map(Node::uid));
  }

  private boolean isCordoned() {
    return node.filter(Node::cordoned).isPresent();
  }

  private Optional<Disruption.Active> disruption() {
    return node.flatMap(Node::disruption).flatMap(Disruption::active);
  }

  /** The disruption by which its pool removes it; one by preemption alone is none. */
  private Optional<Disruption.Active> removal() {
    return disruption().filter(Disruption.Active::isRemoval);
  }

  /** Whether its Node counts in currentNodes. */
  boolean isCurrent() {
    return node.filter(Node::registered).isPresent();
  }

  /** Whether it counts in inProgress. */
  boolean isInProgress() {
    return !isCurrent() && !stopped && !pool.isEmpty();
  }

  /** Whether its Node is being removed from the pool. */
  boolean isTerminating() {
    return disruption().filter(Disruption.Active::leaves).isPresent()
        ? removal().isPresent()
        : isCurrent() && power == Host.Power.OFF;
  }

  /** Whether the cordon on its Node was set with its mark. */
  boolean isCordonedByUs() {
    return isCordoned()
        && removal().orElse(null) instanceof Disruption.Admitted mark
        && mark.cordon() == Disruption.Cordon.OURS;
  }

  /** When its Node was chosen, or its drain began. */
  Instant since() {
    return removal().map(Disruption::at).orElse(Instant.MIN);
  }

  /** Whether its Pods are being evicted. */
  boolean isDraining() {
    return is(NodeRemovalReason.DRAINING)
        || is(NodeRemovalReason.BLOCKED_BY_BUDGET)
        || is(NodeRemovalReason.FORCED);
  }

  boolean is(NodeRemovalReason what) {
    return removal().isPresent()
        && node.filter(Node::isDraining)
            .flatMap(Node::removing)
            .filter(says -> says.reason() == what)
            .isPresent();
  }

  /** The ledger of its pool after the change from {@code before}, a state in the same pool. */
  public EventLedger entered(MemberState before, EventLedger ledger) {
    boolean same = node.isPresent() && isSameNode(before);
    EventLedger next = same || before.node.isEmpty() ? ledger : before.lost(this, ledger);
    if (introduced && !(same && before.introduced)) {
      next = next.plus(Occurrence.REGISTERED, name);
    }
    boolean wasTerminating = same && before.isTerminating();
    if (isTerminating() && !wasTerminating) {
      next = next.begins(name);
      next = isCordonedByUs() ? next.plus(Occurrence.CORDONED, name) : next;
    }
    if (!isTerminating() && wasTerminating) {
      next = next.ends();
      next =
          before.isCordonedByUs() && !isCordoned() ? next.plus(Occurrence.UNCORDONED, name) : next;
    }
    MemberState last = same ? before : NONE;
    return same ? taints(last, stages(last, next)) : stages(last, next);
  }

  /** The ledger after its Node was deleted, where {@code now} is the state after that. */
  private EventLedger lost(MemberState now, EventLedger ledger) {
    if (!isTerminating()) {
      return isCurrent() ? ledger.plus(Occurrence.VANISHED, name) : ledger;
    }
    EventLedger next = ledger.ends();
    // A Node that a client deletes before its machine is stopped joins again.
    boolean gone = now.pool.isEmpty() || now.power == Host.Power.OFF;
    if (gone) {
      return next.plus(Occurrence.REMOVED, name);
    }
    return isCurrent() ? next.plus(Occurrence.VANISHED, name) : next;
  }

  private EventLedger stages(MemberState before, EventLedger ledger) {
    EventLedger next = ledger;
    if (isDraining() && !before.isDraining() && !before.is(NodeRemovalReason.DETACHING)) {
      next = next.plus(Occurrence.DRAINED, name);
    }
    if (is(NodeRemovalReason.BLOCKED_BY_BUDGET)
        && !before.is(NodeRemovalReason.BLOCKED_BY_BUDGET)) {
      next = next.plus(Occurrence.BLOCKED, name);
    }
    if (is(NodeRemovalReason.FORCED) && !before.is(NodeRemovalReason.FORCED)) {
      next = next.plus(Occurrence.FORCED, name);
    }
    return next;
  }

  /**
   * Counts changes of taints that follow from a Node's kind or reservation, and taints that were
   * restored. Changes of the spec's taints are reported when the pool starts to apply them.
   */
  private EventLedger taints(MemberState before, EventLedger ledger) {
    if (before.node.isEmpty() || node.isEmpty()) {
      return ledger;
    }
    NodeMetadata last = before.node.get().metadata();
    NodeMetadata next = node.get().metadata();
    if (last.equals(next)) {
      return ledger;
    }
    boolean gained =
        next.taints().stream()
            .filter(taint -> !last.taints().contains(taint))
            .anyMatch(taint -> Reserving.isDue(next, taint) || isRestored(last, next, taint));
    boolean lost =
        last.taints().stream()
            .filter(taint -> next.taints().stream().noneMatch(taint::isSame))
            .anyMatch(taint -> Reserving.isOver(next, taint));
    EventLedger counted = gained ? ledger.plus(Occurrence.TAINTED, name) : ledger;
    return lost ? counted.plus(Occurrence.UNTAINTED, name) : counted;
  }

  /** Whether the taint was already applied from the spec, so that it was only restored. */
  private static boolean isRestored(NodeMetadata last, NodeMetadata next, Taint taint) {
    return last.applied().equals(next.applied())
        && next.applied().filter(record -> record.taints().contains(taint)).isPresent();
  }
}
