package io.nodepool.vocabulary;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Why a Node is chosen for removal from its pool. The order of the constants is the order of choice
 * (contract §7, decision D19).
 */
public enum RemovalCause {
  NOT_REGISTERED(
      "NotRegistered", "it has not registered yet", "The Node has not registered in its pool yet."),
  CLIENT_REQUEST(
      "ClientRequest",
      "a client asked for it",
      "A client put the label compute.coreweave.com/remove-node=true on the Node."),
  AUTOSCALER(
      "Autoscaler",
      "the Cluster Autoscaler asked for it",
      "The Cluster Autoscaler put the taint ToBeDeletedByClusterAutoscaler on the Node."),
  UNHEALTHY("Unhealthy", "it is not Ready", "The Node is not Ready, or its machine failed."),
  CORDONED(
      "Cordoned",
      "it is idle and somebody cordoned it",
      "The Node is idle, and another client cordoned it, as kubectl drain does."),
  AUTOSCALER_CANDIDATE(
      "AutoscalerCandidate",
      "it is idle and a candidate of the Cluster Autoscaler",
      "The Node is idle and carries the taint DeletionCandidateOfClusterAutoscaler."),
  IDLE("Idle", "it is idle", "The Node has no tenant work."),
  INTERRUPTIBLE(
      "Interruptible",
      "it has interruptible Pods only",
      "The Node has no tenant work other than Pods that may be interrupted."),
  ACTIVE(
      "Active",
      "the pool prefers idle Nodes and has no more",
      "The Node has tenant work; only with the strategy PreferIdle, those with fewest Pods first."),
  ORPHANED(
      "Orphaned",
      "its pool is gone",
      "The NodePool was deleted while it still had Nodes, because a client removed its finalizer."),
  REGISTRATION_FAILED(
      "RegistrationFailed",
      "it did not register in time",
      "The machine booted and its Node did not register in time; the machine is returned to the fleet."),
  MACHINE_OUTAGE(
      "MachineOutage",
      "its machine does not run any more",
      "The fleet reports that the machine stopped or failed, and it did not recover in time."),
  NO_MACHINE(
      "NoMachine",
      "it has no machine any more",
      "The Host of the Node was deleted, or no longer belongs to the tenancy of the Node.");

  private final String word;
  private final String text;
  private final String meaning;

  RemovalCause(String word, String text, String meaning) {
    this.word = word;
    this.text = text;
    this.meaning = meaning;
  }

  /** The cause as written in a Node's record. */
  public String word() {
    return word;
  }

  /** The cause in a sentence: {@code "Node g1 is chosen: " + text()}. */
  public String text() {
    return text;
  }

  /** The state of the Node with this cause. */
  public String meaning() {
    return meaning;
  }

  /**
   * Whether a client requested the removal of this Node; the pool does not choose another Node in
   * its place.
   */
  public boolean isRequest() {
    return this == CLIENT_REQUEST || this == AUTOSCALER;
  }

  /**
   * Whether the Node is removed because its pool has too many, so that a higher target keeps it.
   */
  public boolean isScaleDown() {
    return switch (this) {
      case NOT_REGISTERED,
          CLIENT_REQUEST,
          AUTOSCALER,
          UNHEALTHY,
          CORDONED,
          AUTOSCALER_CANDIDATE,
          IDLE,
          INTERRUPTIBLE,
          ACTIVE ->
          true;
      case ORPHANED, REGISTRATION_FAILED, MACHINE_OUTAGE, NO_MACHINE -> false;
    };
  }

  /** The cause with this word. */
  public static Optional<RemovalCause> of(String word) {
    return Stream.of(values()).filter(cause -> cause.word.equals(word)).findFirst();
  }
}
