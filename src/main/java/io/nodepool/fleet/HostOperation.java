package io.nodepool.fleet;

import java.util.List;
import java.util.Optional;

/**
 * An operation of the operator on a Host. Each is a compare-and-set on the facts that it was
 * decided on, so that a late or repeated operation is refused and does no harm. Its id is derived
 * from those facts, never random.
 */
public sealed interface HostOperation {
  /** The Host of the operation. */
  HostId host();

  /** The pool that the operation is done for. */
  PoolId pool();

  /** The derived id. */
  String id();

  /**
   * Assigns a free Host to a pool.
   *
   * @param tenancyBefore the observed tenancy; the assignment increments it
   * @param configuration the configuration that the machine must boot
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
   * Cancels the assignment of a Host that has not booted yet; refused once it runs.
   *
   * @param failed the delivery history to record on the Host; empty if the Host is not at fault
   */
  record Cancel(HostId host, int tenancy, PoolId pool, Optional<DeliveryHistory> failed)
      implements HostOperation {
    @Override
    public String id() {
      return "cancel/" + host.uid() + "/" + tenancy;
    }
  }

  /**
   * Powers off a held Host; it does not join again in this tenancy.
   *
   * @param failed the delivery history to record on the Host; empty if the Host is not at fault
   */
  record Stop(HostId host, int tenancy, PoolId pool, Optional<DeliveryHistory> failed)
      implements HostOperation {
    @Override
    public String id() {
      return "stop/" + host.uid() + "/" + tenancy;
    }
  }

  /**
   * Keeps a held, running Host for inspection; refused if it is kept already, or powered off.
   *
   * @param preserved why, and until when
   * @param failed the delivery history to record on the Host
   */
  record Preserve(
      HostId host,
      int tenancy,
      PoolId pool,
      Assignment.Preserved preserved,
      Optional<DeliveryHistory> failed)
      implements HostOperation {
    @Override
    public String id() {
      return "preserve/" + host.uid() + "/" + tenancy;
    }
  }

  /** Returns a stopped Host to the fleet, which cleans it. */
  record Release(HostId host, int tenancy, PoolId pool) implements HostOperation {
    @Override
    public String id() {
      return "release/" + host.uid() + "/" + tenancy;
    }
  }

  /** Clears the recorded failures of a Host that was delivered. */
  record Delivered(HostId host, int tenancy, PoolId pool) implements HostOperation {
    @Override
    public String id() {
      return "delivered/" + host.uid() + "/" + tenancy;
    }
  }

  /**
   * Boots the machine of a held Host anew, or verifies it. Refused if the machine is on another
   * boot already, or powered off.
   */
  record Boot(HostId host, int tenancy, PoolId pool, BootRequest request) implements HostOperation {
    @Override
    public String id() {
      return "boot/" + host.uid() + "/" + request.from() + "/" + request.attempt();
    }
  }

  /**
   * Takes back a request to boot the machine. Refused if another request stands, or once its fleet
   * has begun the boot.
   */
  record DropBoot(HostId host, int tenancy, PoolId pool, BootRequest request)
      implements HostOperation {
    @Override
    public String id() {
      return "drop/" + host.uid() + "/" + request.operation() + "/" + request.attempt();
    }
  }

  /**
   * Sets the configuration that the machine of a held Host must boot the next time it boots; the
   * boot itself is not requested.
   *
   * @param before the wanted configuration as observed; refused if it is another one by now
   * @param configuration the configuration that it must boot
   */
  record Stage(HostId host, int tenancy, PoolId pool, String before, String configuration)
      implements HostOperation {
    @Override
    public String id() {
      return "stage/" + host.uid() + "/" + tenancy + "/" + configuration;
    }
  }

  /**
   * Asks that a component of the machine of a held Host be repaired. Refused if another attempt was
   * requested for the same alert meanwhile, or if the machine is powered off.
   *
   * @param before the requests as observed
   */
  record RepairComponent(
      HostId host, int tenancy, PoolId pool, List<ComponentRepair> before, ComponentRepair request)
      implements HostOperation {
    /** The request that this one is made after; empty for the first one for its alert. */
    public Optional<ComponentRepair> last() {
      return ComponentRepair.find(before, request.alert());
    }

    @Override
    public String id() {
      return "repair/%s/%s/%s/%d"
          .formatted(host.uid(), request.alert(), request.since(), request.attempt());
    }
  }

  /**
   * Clears the recorded failures of a Host that no pool holds, with what it was set aside for: the
   * configuration in which it failed is to blame. Refused if something else is recorded by now.
   *
   * @param setAside why the Host is set aside, as observed; empty text if it is not
   */
  record Excuse(HostId host, int tenancy, PoolId pool, String configuration, String setAside)
      implements HostOperation {
    /** Whether this is what is recorded of the Host. */
    public boolean isOf(Host other) {
      return other.tenancy() == tenancy
          && other.assignment().isEmpty()
          && other.deliveries().setAside().equals(setAside)
          && other
              .deliveries()
              .suspect()
              .equals(Optional.of(new DeliveryHistory.Suspect(pool.uid(), configuration)));
    }

    @Override
    public String id() {
      return "excuse/" + host.uid() + "/" + tenancy;
    }
  }

  /** The id of the assignment that gives a Host its next tenancy. */
  static String assignId(HostId host, int tenancyBefore, PoolId pool) {
    return "assign/" + host.uid() + "/" + (tenancyBefore + 1) + "/" + pool.uid();
  }
}
