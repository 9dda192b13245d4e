package io.nodepool.fleet;

import java.util.Optional;

/**
 * Where a machine stands, as its fleet reports it. Booting is not a phase: it is an assignment not
 * yet answered by RUNNING.
 */
public enum HostPhase {
  /** Clean, powered down, without a tenant: may be assigned. */
  FREE("Free"),
  /** Booted for its tenancy; its Node has joined or is about to. */
  RUNNING("Running"),
  /** Switched off on the operator's word, still held; it will not join again. */
  STOPPED("Stopped"),
  /** Given back; its disks are being wiped. */
  CLEANING("Cleaning"),
  /** Set aside by its fleet: cannot be assigned. */
  FAILED("Failed");

  private final String word;

  HostPhase(String word) {
    this.word = word;
  }

  /** The phase as it stands in a Host's status. */
  public String word() {
    return word;
  }

  /** The phase that a word names, or empty for an unknown word. */
  public static Optional<HostPhase> of(String word) {
    for (HostPhase phase : values()) {
      if (phase.word.equals(word)) {
        return Optional.of(phase);
      }
    }
    return Optional.empty();
  }
}
