package io.nodepool.fleet;

import io.nodepool.vocabulary.Word;

/**
 * The phase of a machine, as its fleet reports it. A fleet may leave out BOOTING and CLEANING: a
 * machine then boots from its assignment until its fleet reports RUNNING.
 */
public enum HostPhase implements Word {
  /** Clean, powered down and not assigned: may be assigned. */
  FREE,
  /**
   * Being delivered for its tenancy: its fleet installs and boots it, or it waits in the queue of
   * the fleet's engine. The assignment may still be cancelled.
   */
  BOOTING,
  /** Booted for its tenancy; its Node has joined or joins next. */
  RUNNING,
  /** Powered off, still held; it does not join again. */
  STOPPED,
  /** Returned to the fleet; its disks are being wiped. */
  CLEANING,
  /** Failed, as its fleet reports: cannot be assigned. */
  FAILED
}
