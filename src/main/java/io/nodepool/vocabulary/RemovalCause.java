package io.nodepool.vocabulary;

import java.util.Optional;
import java.util.stream.Stream;

/**
 * Why a Node is chosen to leave its pool, in the order in which they are chosen: the earlier causes
 * go first (the contract §7, decision D19).
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
      "The Node is idle, and somebody else cordoned it, as kubectl drain does."),
  AUTOSCALER_CANDIDATE(
      "AutoscalerCandidate",
      "it is idle and a candidate of the Cluster Autoscaler",
      "The Node is idle and carries the taint DeletionCandidateOfClusterAutoscaler."),
  IDLE("Idle", "it is idle", "The Node has no tenant work."),
  INTERRUPTIBLE(
      "Interruptible",
      "it has interruptible Pods only",
      "The Node has no tenant work but Pods that may be interrupted."),
  ACTIVE(
      "Active",
      "the pool prefers idle Nodes and has no more",
      "The Node has tenant work; only with the strategy PreferIdle, those with fewest Pods first."),
  ORPHANED(
      "Orphaned",
      "its pool is gone",
      "The NodePool is gone although it still had Nodes: somebody removed its finalizer by hand."),
  REGISTRATION_FAILED(
      "RegistrationFailed",
      "it did not register in time",
      "The machine came up and its Node did not register in time; the machine is given back."),
  MACHINE_OUTAGE(
      "MachineOutage",
      "its machine does not run any more",
      "The fleet says that the machine stopped or failed, and it did not come back in time."),
  NO_MACHINE(
      "NoMachine",
      "it has no machine any more",
      "The Host of the Node was deleted, or was given to somebody else.");

  private final String word;
  private final String text;
  private final String meaning;

  RemovalCause(String word, String text, String meaning) {
    this.word = word;
    this.text = text;
    this.meaning = meaning;
  }

  /** The cause as it stands in a Node's record. */
  public String word() {
    return word;
  }

  /** The cause in a sentence: {@code "Node g1 is chosen: " + text()}. */
  public String text() {
    return text;
  }

  /** What must hold of the Node. */
  public String meaning() {
    return meaning;
  }

  /** Whether somebody outside asked for this very Node, which nobody else's choice replaces. */
  public boolean isRequest() {
    return this == CLIENT_REQUEST || this == AUTOSCALER;
  }

  /** Whether a Node goes because its pool has too many, so that a higher target keeps it. */
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
