package io.nodepool.kubernetes.simulated;

/** What is looked at, and written, one thing at a time. */
sealed interface FleetKey {
  /** A machine, by the name that its Host and its Node share. */
  record OfMachine(String name) implements FleetKey {}

  /** A Pod bound to a simulated Node, by UID. */
  record OfPod(String uid) implements FleetKey {}

  /** The kubelet of a machine, by the machine's name: what it says about its Node while it runs. */
  record OfKubelet(String machine) implements FleetKey {}

  /** What the data centre publishes about itself. */
  enum Report implements FleetKey {
    /** The offer that the operator reads. */
    OFFER,
    /** The status of the SimulatedFleet. */
    STATUS
  }

  /** What the data centre does for itself, without a write. */
  enum Upkeep implements FleetKey {
    /** Forgets what is long past about writes. */
    WRITES
  }
}
