package io.nodepool.plan;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.condition.AlertCondition;
import io.nodepool.vocabulary.condition.ConditionType;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.RegistrationReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a write changes of one condition of a Node. */
public sealed interface ConditionChange {
  /** The condition. */
  ConditionType type();

  /** Its status, reason and message after the write; empty if it is removed. */
  List<String> text();

  /** All entries of the condition are removed: clients may have appended it more than once. */
  record Removed(ConditionType type) implements ConditionChange {
    @Override
    public List<String> text() {
      return List.of();
    }
  }

  /**
   * The condition is set.
   *
   * @param transitions whether its status or its subject changes; otherwise the recorded time of
   *     its last transition stays
   * @param since the time of its transition, if it is not the time of the write; empty for the
   *     writer's clock
   */
  record Set(
      ConditionType type,
      boolean status,
      String reason,
      String message,
      boolean transitions,
      Optional<Instant> since)
      implements ConditionChange {
    @Override
    public List<String> text() {
      return List.of(String.valueOf(status), reason, message);
    }
  }

  /** CWRegistered. */
  static ConditionChange registered() {
    return turned(
        NodeCondition.REGISTERED,
        true,
        RegistrationReason.REGISTERED.word(),
        "Node has joined the cluster.",
        true);
  }

  /** CWRegistered of a Node that is not registered. */
  static ConditionChange notRegistered(Node node, RegistrationReason reason, String message) {
    return turned(
        NodeCondition.REGISTERED,
        false,
        reason.word(),
        message,
        node.status().notRegistered().isEmpty());
  }

  /** CWActive. */
  static ConditionChange active(Node node, Node.Activity next) {
    boolean transitions = node.activity().filter(last -> last.active() == next.active()).isEmpty();
    return turned(
        NodeCondition.ACTIVE,
        next.active(),
        next.active() ? "Active" : "Idle",
        next.message(),
        transitions);
  }

  /** CWNodeRemoval; False if {@code next} is empty. */
  static ConditionChange removal(Node node, Optional<Node.Removing> next) {
    return turned(
        NodeCondition.NODE_REMOVAL,
        next.isPresent(),
        next.map(removing -> removing.reason().word()).orElse("Withdrawn"),
        next.map(Node.Removing::message).orElse("The Node stays."),
        node.removing().isPresent() != next.isPresent());
  }

  /** PhaseState. */
  static ConditionChange phase(String state) {
    return turned(NodeCondition.PHASE_STATE, true, state, "Node is in phase " + state, true);
  }

  /** NLCCImmediateReboot; contract §10 defines its reason. */
  static ConditionChange rebooting(boolean next) {
    return turned(
        NodeCondition.IMMEDIATE_REBOOT,
        next,
        "NLCCRedfishReboot",
        next ? "A power cycle of the machine runs." : "No power cycle runs.",
        true);
  }

  /** PendingPhaseState. */
  static ConditionChange pending(NodeStatus.Entry next) {
    return new Set(
        NodeCondition.PENDING_PHASE_STATE,
        next.status(),
        next.reason(),
        next.message(),
        true,
        Optional.of(next.since()));
  }

  /**
   * The condition of an active alert.
   *
   * @param transitions whether the Node did not show it before
   */
  static ConditionChange alert(String name, String message, boolean transitions) {
    AlertCondition type = new AlertCondition(name);
    return new Set(type, true, type.reason(), message, transitions, Optional.empty());
  }

  private static ConditionChange turned(
      NodeCondition type, boolean status, String reason, String message, boolean transitions) {
    return new Set(type, status, reason, message, transitions, Optional.empty());
  }
}
