package io.nodepool.vocabulary;

import java.util.Optional;
import java.util.stream.Stream;

/** Why a Node is disrupted. Several causes may disrupt a Node at once. */
public enum DisruptionCause {
  SCALE_DOWN(
      "ScaleDown",
      Owner.POOL,
      "its pool has too many Nodes",
      "The pool has more Nodes than its target, and the Node was chosen to leave."),
  POOL_DELETION(
      "PoolDeletion",
      Owner.POOL,
      "its pool is being deleted",
      "The NodePool is being deleted, and all its Nodes leave."),
  REGISTRATION_FAILED(
      "RegistrationFailed",
      Owner.POOL,
      "it did not register in time",
      "The machine booted and its Node did not register in time; the machine is returned to the fleet."),
  MACHINE_OUTAGE(
      "MachineOutage",
      Owner.POOL,
      "its machine does not run any more",
      "The fleet reports that the machine stopped or failed, and it did not recover in time."),
  ORPHANED(
      "Orphaned",
      Owner.MACHINE,
      "its pool is gone",
      "The NodePool was deleted while it still had Nodes, because a client removed its finalizer."),
  NO_MACHINE(
      "NoMachine",
      Owner.MACHINE,
      "it has no machine any more",
      "The Host of the Node was deleted, or no longer belongs to the tenancy of the Node."),
  PREEMPTION(
      "Preemption",
      Owner.MACHINE,
      "it is preempted, because its fleet reclaims the machine",
      "The fleet reclaims the machine of a spot Node. The Node leaves within the window of the preemption, whatever runs on it."),
  REBOOT(
      "Reboot",
      Owner.MACHINE,
      "its reboot was requested",
      "A client requested a reboot or a power reset. The Node stays in its pool; its machine is rebooted, and verified afterwards."),
  RECONFIGURATION(
      "Reconfiguration",
      Owner.MACHINE,
      "its reconfiguration was requested",
      "A client requested a reboot into the staged configuration. The Node is cordoned until it is idle, and stays in its pool."),
  ROLLOUT(
      "Rollout",
      Owner.POOL,
      "its pool rolls out a configuration",
      "The pool rolls out its active configuration, and it is the turn of this Node to boot into it. The Node stays in its pool."),
  VERIFICATION(
      "Verification",
      Owner.MACHINE,
      "its verification was requested",
      "A client requested that the machine be verified, without a reboot. The Node stays in its pool."),
  REBOOT_FAILED(
      "RebootFailed",
      Owner.MACHINE,
      "its machine did not come back from its reboot",
      "The machine did not boot, or did not pass its verification, in any attempt. Its Host is set aside, and the pool gets another one.");

  /** Whose plan demands a disruption for a cause, and withdraws it by no longer demanding it. */
  public enum Owner {
    /** The plan of the pool. */
    POOL,
    /** The plan of the machine. */
    MACHINE
  }

  private final String word;
  private final Owner owner;
  private final String text;
  private final String meaning;

  DisruptionCause(String word, Owner owner, String text, String meaning) {
    this.word = word;
    this.owner = owner;
    this.text = text;
    this.meaning = meaning;
  }

  /** The cause as written in a Node's record. */
  public String word() {
    return word;
  }

  /** Whose plan demands it. */
  public Owner owner() {
    return owner;
  }

  /** The cause in a sentence: {@code "Node g1 leaves: " + text()}. */
  public String text() {
    return text;
  }

  /** The state of the Node with this cause. */
  public String meaning() {
    return meaning;
  }

  /**
   * Whether the cause is a matter of the pool's size, so that the pool's plan decides from one plan
   * to the next whether it still demands it of this Node.
   */
  public boolean isOfSize() {
    return this == SCALE_DOWN || this == POOL_DELETION;
  }

  /** Whether a Node with this cause leaves its pool. */
  public boolean leaves() {
    return switch (this) {
      case SCALE_DOWN,
          POOL_DELETION,
          REGISTRATION_FAILED,
          MACHINE_OUTAGE,
          ORPHANED,
          NO_MACHINE,
          PREEMPTION,
          REBOOT_FAILED ->
          true;
      case REBOOT, RECONFIGURATION, ROLLOUT, VERIFICATION -> false;
    };
  }

  /** The cause with this word. */
  public static Optional<DisruptionCause> of(String word) {
    return Stream.of(values()).filter(cause -> cause.word.equals(word)).findFirst();
  }
}
