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

  /** The tenancy of the Host on which the operation was decided. */
  int tenancy();

  /** The pool that the operation is done for. */
  PoolId pool();

  /** The derived id. */
  default String id() {
    String uid = host().uid();
    return switch (this) {
      case Assign assign -> assign.assignment().operation();
      case Cancel cancel -> "cancel/" + uid + "/" + cancel.tenancy();
      case Stop stop -> "stop/" + uid + "/" + stop.tenancy();
      case Preserve preserve -> "preserve/" + uid + "/" + preserve.tenancy();
      case Release release -> "release/" + uid + "/" + release.tenancy();
      case Delivered delivered -> "delivered/" + uid + "/" + delivered.tenancy();
      case Boot(_, _, _, BootRequest request, _) ->
          "boot/" + uid + "/" + request.from() + "/" + request.attempt();
      case DropBoot(_, _, _, BootRequest request) ->
          "drop/" + uid + "/" + request.operation() + "/" + request.attempt();
      case Stage stage -> "stage/" + uid + "/" + stage.tenancy() + "/" + stage.configuration();
      case RepairComponent(_, _, _, _, ComponentRepair request) ->
          "repair/%s/%s/%d".formatted(uid, request.alert(), request.attempt());
      case Note(_, _, _, _, PastRepair entry, _) ->
          "note/%s/%s/%s".formatted(uid, entry.alert(), entry.at());
      case ClearFailures clear -> "clear-failures/" + uid + "/" + clear.tenancy();
    };
  }

  /**
   * Assigns a free Host to a pool.
   *
   * @param tenancy the observed tenancy; the assignment increments it
   * @param configuration the configuration that the machine must boot
   */
  record Assign(HostId host, int tenancy, Assignment assignment, String configuration)
      implements HostOperation {
    @Override
    public PoolId pool() {
      return assignment.pool();
    }
  }

  /**
   * Cancels the assignment of a Host that has not booted yet; refused once it runs.
   *
   * @param phase the phase that it was decided on, FREE or BOOTING; refused in another one
   * @param failed the delivery history to record on the Host; empty if the Host is not at fault
   */
  record Cancel(
      HostId host, int tenancy, PoolId pool, HostPhase phase, Optional<DeliveryHistory> failed)
      implements HostOperation {
    /** Cancels the assignment of a Host as it was observed. */
    public static Cancel of(Host seen, PoolId pool, Optional<DeliveryHistory> failed) {
      return new Cancel(seen.id(), seen.tenancy(), pool, seen.report().phase(), failed);
    }
  }

  /**
   * Powers off a held Host; it does not join again in this tenancy.
   *
   * @param failed the delivery history to record on the Host; empty if the Host is not at fault
   */
  record Stop(HostId host, int tenancy, PoolId pool, Optional<DeliveryHistory> failed)
      implements HostOperation {}

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
      implements HostOperation {}

  /** Returns a stopped Host to the fleet, which cleans it. */
  record Release(HostId host, int tenancy, PoolId pool) implements HostOperation {}

  /** Clears the recorded failures of a Host that was delivered. */
  record Delivered(HostId host, int tenancy, PoolId pool) implements HostOperation {}

  /**
   * Boots the machine of a held Host anew, or verifies it. Refused if the machine is on another
   * boot already, or powered off.
   *
   * @param stage the configuration to boot, if staged with the request; refused with it
   */
  record Boot(HostId host, int tenancy, PoolId pool, BootRequest request, Optional<Stage> stage)
      implements HostOperation {
    /** A boot into the configuration that is staged already. */
    public Boot(HostId host, int tenancy, PoolId pool, BootRequest request) {
      this(host, tenancy, pool, request, Optional.empty());
    }

    /**
     * The configuration that the machine must boot after this.
     *
     * @param before the configuration that it had to boot until now
     */
    public String configuration(String before) {
      return stage.map(Stage::configuration).orElse(before);
    }
  }

  /**
   * Takes back a request to boot the machine. Refused if the Host has another request, or once its
   * fleet has begun the boot.
   */
  record DropBoot(HostId host, int tenancy, PoolId pool, BootRequest request)
      implements HostOperation {}

  /**
   * Sets the configuration that the machine of a held Host must boot the next time it boots; the
   * boot itself is not requested.
   *
   * @param before the wanted configuration as observed; refused if it has changed
   * @param configuration the configuration that it must boot
   */
  record Stage(HostId host, int tenancy, PoolId pool, String before, String configuration)
      implements HostOperation {
    /** What an operation stages, alone or with a boot; empty if it stages nothing. */
    public static Optional<Stage> of(HostOperation operation) {
      return operation instanceof Stage stage
          ? Optional.of(stage)
          : operation instanceof Boot boot ? boot.stage() : Optional.empty();
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
    /** The previous request for the same alert; empty if there is none. */
    public Optional<ComponentRepair> last() {
      return ComponentRepair.find(before, request.alert());
    }
  }

  /**
   * Records what is about to be done to the machine of a held Host for an alert. Refused if the
   * record has changed.
   *
   * @param before the record, as observed
   * @param next the record from now on, {@link PastRepair#amid with the entry}
   */
  record Note(
      HostId host,
      int tenancy,
      PoolId pool,
      List<PastRepair> before,
      PastRepair entry,
      List<PastRepair> next)
      implements HostOperation {
    public Note {
      before = List.copyOf(before);
      next = List.copyOf(next);
    }
  }

  /**
   * Clears the recorded failures of a Host that no pool holds, and why it was set aside: the
   * configuration in which it failed is to blame. Refused if the record has changed.
   *
   * @param setAside why the Host is set aside, as observed; empty text if it is not
   */
  record ClearFailures(HostId host, int tenancy, PoolId pool, String configuration, String setAside)
      implements HostOperation {
    /** Whether the record of the Host is still the one that this was decided on. */
    public boolean isOf(Host other) {
      return other.tenancy() == tenancy
          && other.assignment().isEmpty()
          && other.deliveries().setAside().equals(setAside)
          && other
              .deliveries()
              .suspect()
              .equals(Optional.of(new DeliveryHistory.Suspect(pool.uid(), configuration)));
    }
  }

  /** The id of the assignment that gives a Host its next tenancy. */
  static String assignId(HostId host, int tenancy, PoolId pool) {
    return "assign/" + host.uid() + "/" + (tenancy + 1) + "/" + pool.uid();
  }
}
