package io.nodepool.fleet;

import java.time.Instant;
import java.util.Optional;

/**
 * A machine of the fleet as last observed: the part that the operator writes (tenancy, assignment,
 * configuration, power) and the part that the fleet writes (report).
 *
 * @param version grows with every change of the object; orders observations of one UID
 * @param occupancy the assignment of the machine, as the operator wrote it
 * @param deliveries the record of its failed deliveries
 */
public record Host(
    HostId id,
    long version,
    Machine machine,
    Occupancy occupancy,
    DeliveryHistory deliveries,
    Report report) {

  /**
   * The assignment of a machine, and its wanted configuration and power.
   *
   * @param tenancy the number of assignments of the machine so far
   * @param configuration the configuration that it must boot; empty text while it is not assigned
   */
  public record Occupancy(
      int tenancy, Optional<Assignment> assignment, String configuration, Power power) {
    /** No assignment, after this number of tenancies. */
    public static Occupancy none(int tenancy) {
      return new Occupancy(tenancy, Optional.empty(), "", Power.ON);
    }

    /** This occupancy with another assignment. */
    public Occupancy withAssignment(Optional<Assignment> next) {
      return new Occupancy(tenancy, next, configuration, power);
    }

    /** This occupancy with another power state. */
    public Occupancy withPower(Power next) {
      return new Occupancy(tenancy, assignment, configuration, next);
    }
  }

  /** Whether the operator wants the machine to run. */
  public enum Power {
    /** The machine must run while it is assigned. */
    ON,
    /** The machine must stop and not join again. */
    OFF
  }

  /**
   * The fleet's report on a machine.
   *
   * @param tenancy the tenancy that the phase belongs to; an older one does not describe the
   *     current assignment
   * @param since when the phase began
   * @param joinRefusal the API server's response if it denies the machine's Node; empty text
   *     otherwise
   * @param spot whether spot pools may use the machine, and whether the fleet wants it back
   */
  public record Report(
      HostPhase phase,
      int tenancy,
      String bootId,
      String bootedConfiguration,
      Instant since,
      String joinRefusal,
      Spot spot) {
    /** A report without a join refusal, on a machine that is not offered as spot. */
    public Report(
        HostPhase phase, int tenancy, String bootId, String bootedConfiguration, Instant since) {
      this(phase, tenancy, bootId, bootedConfiguration, since, "", Spot.NOT_OFFERED);
    }

    /** This report with another start of the phase. */
    public Report withSince(Instant next) {
      return new Report(phase, tenancy, bootId, bootedConfiguration, next, joinRefusal, spot);
    }

    /** This report with a join refusal. */
    public Report refused(String next) {
      return new Report(phase, tenancy, bootId, bootedConfiguration, since, next, spot);
    }

    /** This report with another offer to spot pools, or another reclaim. */
    public Report withSpot(Spot next) {
      return new Report(phase, tenancy, bootId, bootedConfiguration, since, joinRefusal, next);
    }
  }

  /**
   * Whether spot pools may use a machine.
   *
   * @param offered whether the fleet offers it as spot
   * @param reclaim the fleet's notice that it wants the machine back; empty if it does not
   */
  public record Spot(boolean offered, Optional<Reclaim> reclaim) {
    /** Only on-demand pools may use the machine. */
    public static final Spot NOT_OFFERED = new Spot(false, Optional.empty());

    /** Spot pools may use the machine. */
    public static final Spot OFFERED = new Spot(true, Optional.empty());

    /** This offer with another notice. */
    public Spot withReclaim(Optional<Reclaim> next) {
      return new Spot(offered, next);
    }

    /**
     * Whether a spot pool may be given the machine: a preempted one is not free for spot while the
     * notice stands (decision D70).
     */
    public boolean isAvailable() {
      return offered && reclaim.isEmpty();
    }
  }

  /** The number of assignments of the machine so far. */
  public int tenancy() {
    return occupancy.tenancy();
  }

  /** The current assignment; empty while no pool holds the machine. */
  public Optional<Assignment> assignment() {
    return occupancy.assignment();
  }

  /** Whether the operator wants the machine to run. */
  public Power power() {
    return occupancy.power();
  }

  /**
   * Whether the machine may be given to a pool, now or once the wait after its last failed delivery
   * is over.
   */
  public boolean isFree() {
    return assignment().isEmpty() && report.phase() == HostPhase.FREE && !deliveries.isSetAside();
  }

  /** Whether the pool with this UID holds the machine. */
  public boolean isHeldBy(String poolUid) {
    return assignment().isPresent() && assignment().get().pool().uid().equals(poolUid);
  }

  /** Whether the fleet reports this phase for the current tenancy. */
  public boolean is(HostPhase phase) {
    return report.phase() == phase && report.tenancy() == tenancy();
  }

  /**
   * Whether the machine no longer runs, as the operator requested: its fleet reports that it
   * stopped, or that it failed before it could stop.
   */
  public boolean isOff() {
    return power() == Power.OFF && (is(HostPhase.STOPPED) || is(HostPhase.FAILED));
  }

  /**
   * Whether the machine may still run for this tenancy: its fleet has not reported since that it
   * stopped.
   */
  public boolean mayRun(int ofTenancy) {
    return report.tenancy() == ofTenancy
        && (report.phase() == HostPhase.RUNNING || report.phase() == HostPhase.FAILED);
  }

  /**
   * Whether the machine is assigned and has not booted yet; only then can the assignment be
   * cancelled.
   */
  public boolean isBooting() {
    return assignment().isPresent() && report.phase() == HostPhase.FREE;
  }

  /** The fleet's notice that it wants the machine back. */
  public Optional<Reclaim> reclaim() {
    return report.spot().reclaim();
  }

  /**
   * The fleet's notice if it preempts a Node: a notice on a Host that no spot pool holds is ignored
   * (decision D70).
   */
  public Optional<Reclaim> preemption() {
    return reclaim().filter(_ -> assignment().filter(Assignment::isSpot).isPresent());
  }

  /** This Host with another version. */
  public Host withVersion(long next) {
    return new Host(id, next, machine, occupancy, deliveries, report);
  }

  /** This Host with another occupancy. */
  public Host withOccupancy(Occupancy next) {
    return new Host(id, version, machine, next, deliveries, report);
  }

  /** This Host with another delivery history. */
  public Host withDeliveries(DeliveryHistory next) {
    return new Host(id, version, machine, occupancy, next, report);
  }

  /** This Host with another report of its fleet. */
  public Host withReport(Report next) {
    return new Host(id, version, machine, occupancy, deliveries, next);
  }
}
