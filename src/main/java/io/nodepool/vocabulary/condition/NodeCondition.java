package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.metadata.KeyWriter;
import java.util.List;
import java.util.Set;

/**
 * The conditions that CoreWeave's automation sets on Nodes (contract §10). Conditions of other
 * owners on a Node are kept.
 */
public enum NodeCondition implements ConditionType {
  ACTIVE(
      "CWActive",
      "True while a live tenant Pod runs on the Node; the message names the workloads. False means idle: the Node may be"
          + " chosen for removal, and pending reboots may start."),
  REGISTERED(
      "CWRegistered",
      "True once the Node has joined the cluster with its labels, annotations and taints; False before, with the reason why it is not registered."),
  NODE_REMOVAL(
      "CWNodeRemoval",
      "True while the Node is marked for removal from its pool or being removed. The reason and message report the stage of the removal, since when, and when force begins."),
  PHASE_STATE("PhaseState", "The reason is the lifecycle phase of the Node, such as production."),
  PENDING_PHASE_STATE(
      "PendingPhaseState",
      "True from the request of a phase until the Node is back in production; the reason is that phase, such as production-reboot. False if the request cannot be met; the message says why. Removed with the request. Clients set it to request a safe power reset.",
      KeyWriter.OPERATOR,
      KeyWriter.CLIENT),
  KERNEL_DEADLOCK(
      "KernelDeadlock",
      "True when the node problem detector found the kernel stuck, such as CPUSoftLockup.",
      KeyWriter.CLIENT),
  IMMEDIATE_REBOOT("NLCCImmediateReboot", "True while a power cycle of the Node's machine runs.");

  /** The types that kubelets and other clients write for Kubernetes itself; none is an alert. */
  public static final List<String> KUBERNETES =
      List.of(
          "Ready",
          "MemoryPressure",
          "DiskPressure",
          "PIDPressure",
          "NetworkUnavailable",
          "DrainInProgress",
          "Drained",
          "MaintenancePlanned",
          "MaintenanceInProgress");

  private final String type;
  private final String meaning;
  private final Set<KeyWriter> writers;

  NodeCondition(String type, String meaning) {
    this(type, meaning, KeyWriter.OPERATOR);
  }

  NodeCondition(String type, String meaning, KeyWriter... writers) {
    this.type = type;
    this.meaning = meaning;
    this.writers = Set.of(writers);
  }

  @Override
  public String type() {
    return type;
  }

  /** Who may write it. */
  public Set<KeyWriter> writers() {
    return writers;
  }

  /** What its status and reason report about the Node. */
  public String meaning() {
    return meaning;
  }
}
