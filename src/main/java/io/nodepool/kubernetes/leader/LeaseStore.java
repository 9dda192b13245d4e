package io.nodepool.kubernetes.leader;

import io.nodepool.fleet.Answer;

/** The store of the Lease for which all operators of a cluster compete. */
interface LeaseStore {
  /** Reads the Lease. */
  Answer<LeaseRecord.Stored> read();

  /**
   * Writes the Lease; refused if it is no longer as observed.
   *
   * @param seen the state that the write was decided on; {@link LeaseRecord.Stored#NONE} creates
   *     the Lease
   */
  Answer<LeaseRecord.Stored> write(LeaseRecord.Stored seen, LeaseRecord next);

  /** Clears the holder if it is this process; refused otherwise. */
  Answer<LeaseRecord.Stored> giveBack(String holder);
}
