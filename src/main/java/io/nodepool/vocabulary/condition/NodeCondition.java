package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.NotActedOn;

/**
 * The conditions that CoreWeave's automation puts on Nodes (the contract §10). Conditions of others
 * on a Node are kept.
 */
public enum NodeCondition {
  ACTIVE(
      "CWActive",
      "True while a live tenant Pod runs on the Node; the message names what holds it. False means idle: the Node may be"
          + " chosen for removal, and pending reboots may start."),
  REGISTERED(
      "CWRegistered",
      "True once the Node has joined the cluster with its labels, annotations and taints."),
  NODE_REMOVAL(
      "CWNodeRemoval",
      "True once it is certain that the Node leaves its pool: it was found fit to go after its cordon had settled. The reason and message"
          + " say what the removal is at, since when, and when force begins."),
  PHASE_STATE(
      "PhaseState", "The reason is the phase of its life that the Node is in, such as production."),
  @NotActedOn
  PENDING_PHASE_STATE(
      "PendingPhaseState",
      "True while a phase is asked for that has not begun; the reason is that phase, such as production-reboot. Clients may"
          + " set it to ask for a safe power reset."),
  KERNEL_DEADLOCK(
      "KernelDeadlock",
      "True when the node problem detector found the kernel stuck, such as CPUSoftLockup."),
  @NotActedOn
  IMMEDIATE_REBOOT("NLCCImmediateReboot", "True while a power cycle of the Node's machine runs.");

  private final String type;
  private final String meaning;

  NodeCondition(String type, String meaning) {
    this.type = type;
    this.meaning = meaning;
  }

  /** The condition's type on the wire. */
  public String type() {
    return type;
  }

  /** What its status and reason say about the Node. */
  public String meaning() {
    return meaning;
  }
}
