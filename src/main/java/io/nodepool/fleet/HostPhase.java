package io.nodepool.fleet;

/**
 * The phase of a machine, as its fleet reports it. Booting is not a phase: a machine boots from its
 * assignment until its fleet reports RUNNING.
 */
public enum HostPhase {
  /** Clean, powered down and not assigned: may be assigned. */
  FREE("Free"),
  /** Booted for its tenancy; its Node has joined or joins next. */
  RUNNING("Running"),
  /** Powered off, still held; it does not join again. */
  STOPPED("Stopped"),
  /** Returned to the fleet; its disks are being wiped. */
  CLEANING("Cleaning"),
  /** Failed, as its fleet reports: cannot be assigned. */
  FAILED("Failed");

  private final String word;

  HostPhase(String word) {
    this.word = word;
  }

  /** The phase as written in a Host's status. */
  public String word() {
    return word;
  }
}
