package io.nodepool.fleet;

import java.util.Optional;

/**
 * What the operator asks of a Host. Each is a compare-and-set on the facts it was decided on, so
 * that a late or repeated one is refused rather than harmful; its id is derived from those facts,
 * never random.
 */
public sealed interface HostOperation {
  /** The Host it is about. */
  HostId host();

  /** The pool it is done for. */
  PoolId pool();

  /** The derived id. */
  String id();

  /**
   * Gives a free Host to a pool.
   *
   * @param tenancyBefore the tenancy seen; the assignment makes it one more
   * @param configuration the configuration it is to boot into
   */
  record Assign(HostId host, int tenancyBefore, Assignment assignment, String configuration)
      implements HostOperation {
    @Override
    public PoolId pool() {
      return assignment.pool();
    }

    @Override
    public String id() {
      return assignment.operation();
    }
  }

  /**
   * Takes back a Host that has not come up yet; refused once it runs.
   *
   * @param failed what is held against the Host from now on; empty if it is not at fault
   */
  record Cancel(HostId host, int tenancy, PoolId pool, Optional<DeliveryHistory> failed)
      implements HostOperation {
    @Override
    public String id() {
      return "cancel/" + host.uid() + "/" + tenancy;
    }
  }

  /**
   * Switches a held Host off for good: it will not join again in this tenancy.
   *
   * @param failed what is held against the Host from now on; empty if it is not at fault
   */
  record Stop(HostId host, int tenancy, PoolId pool, Optional<DeliveryHistory> failed)
      implements HostOperation {
    @Override
    public String id() {
      return "stop/" + host.uid() + "/" + tenancy;
    }
  }

  /** Gives a stopped Host back to the fleet, which cleans it. */
  record Release(HostId host, int tenancy, PoolId pool) implements HostOperation {
    @Override
    public String id() {
      return "release/" + host.uid() + "/" + tenancy;
    }
  }

  /** Forgets the failures of a Host that was delivered. */
  record Delivered(HostId host, int tenancy, PoolId pool) implements HostOperation {
    @Override
    public String id() {
      return "delivered/" + host.uid() + "/" + tenancy;
    }
  }

  /** The id of the assignment that gives a Host its next tenancy. */
  static String assignId(HostId host, int tenancyBefore, PoolId pool) {
    return "assign/" + host.uid() + "/" + (tenancyBefore + 1) + "/" + pool.uid();
  }
}
