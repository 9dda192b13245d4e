package io.nodepool.kubernetes.leader;

import io.nodepool.fleet.Answer;

/** Where the Lease is that all operators of a cluster stand for. */
interface LeaseStore {
  /** Reads it. */
  Answer<LeaseRecord.Stored> read();

  /**
   * Writes it, refused if it is not what was seen any more.
   *
   * @param seen what the write was decided on; creates the Lease if that is {@link
   *     LeaseRecord.Stored#NONE}
   */
  Answer<LeaseRecord.Stored> write(LeaseRecord.Stored seen, LeaseRecord next);

  /** Takes the holder out of it, if that is this one; refused otherwise. */
  Answer<LeaseRecord.Stored> giveBack(String holder);
}
