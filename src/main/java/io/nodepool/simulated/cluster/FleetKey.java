package io.nodepool.simulated.cluster;

/** A key of the data centre's loop; each has at most one write in flight. */
sealed interface FleetKey {
  /** A machine, by the name that its Host and its Node share. */
  record OfMachine(String name) implements FleetKey {}

  /** A Pod bound to a simulated Node, by UID. */
  record OfPod(String uid) implements FleetKey {}

  /** The kubelet of a machine, by the machine's name: its reports about the Node while it runs. */
  record OfKubelet(String machine) implements FleetKey {}

  /** A report of the data centre about itself. */
  enum Report implements FleetKey {
    /** The offer that the operator reads. */
    OFFER,
    /** The status of the SimulatedFleet. */
    STATUS
  }

  /** Housekeeping without a write. */
  enum Upkeep implements FleetKey {
    /** Reads back writes in doubt, and forgets past ones. */
    WRITES,
    /** Determines which machines on-demand pools need back from spot pools. */
    RECLAIMS
  }
}
