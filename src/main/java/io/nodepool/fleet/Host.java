package io.nodepool.fleet;

import java.time.Instant;
import java.util.Optional;

/**
 * A machine of the fleet as last seen: the operator's half (tenancy, assignment, configuration,
 * power) and the fleet's half (report).
 *
 * @param version grows with every change of the object; orders sightings of one UID
 * @param occupancy who has the machine, as the operator wrote it
 * @param deliveries how it did so far when it was to be delivered
 */
public record Host(
    HostId id,
    long version,
    Machine machine,
    Occupancy occupancy,
    DeliveryHistory deliveries,
    Report report) {

  /**
   * Who has a machine, and how it is to run for them.
   *
   * @param tenancy how often the machine was assigned so far
   * @param configuration what it is to boot; empty text while it is not assigned
   */
  public record Occupancy(
      int tenancy, Optional<Assignment> assignment, String configuration, Power power) {
    /** Nobody has it, after so many tenancies. */
    public static Occupancy none(int tenancy) {
      return new Occupancy(tenancy, Optional.empty(), "", Power.ON);
    }

    /** The same under another assignment. */
    public Occupancy withAssignment(Optional<Assignment> next) {
      return new Occupancy(tenancy, next, configuration, power);
    }

    /** The same, to run or to stop. */
    public Occupancy withPower(Power next) {
      return new Occupancy(tenancy, assignment, configuration, next);
    }
  }

  /** Whether the operator wants the machine to run. */
  public enum Power {
    /** It is to run while it is assigned. */
    ON,
    /** It is to stop and not to join again. */
    OFF
  }

  /**
   * What the fleet says of the machine.
   *
   * @param tenancy the tenancy that the phase is about; an older one says nothing about the present
   *     assignment
   * @param since when the phase began
   * @param joinRefusal what the API server answers to the machine's Node, where it does not allow
   *     it; empty text otherwise
   */
  public record Report(
      HostPhase phase,
      int tenancy,
      String bootId,
      String bootedConfiguration,
      Instant since,
      String joinRefusal) {
    /** A report of a machine that nothing keeps from joining. */
    public Report(
        HostPhase phase, int tenancy, String bootId, String bootedConfiguration, Instant since) {
      this(phase, tenancy, bootId, bootedConfiguration, since, "");
    }

    /** The same, since another moment. */
    public Report withSince(Instant next) {
      return new Report(phase, tenancy, bootId, bootedConfiguration, next, joinRefusal);
    }

    /** The same, with what keeps the machine from joining. */
    public Report refused(String next) {
      return new Report(phase, tenancy, bootId, bootedConfiguration, since, next);
    }
  }

  /** How often the machine was assigned so far. */
  public int tenancy() {
    return occupancy.tenancy();
  }

  /** What it is assigned to; empty while nobody has it. */
  public Optional<Assignment> assignment() {
    return occupancy.assignment();
  }

  /** Whether the operator wants it to run. */
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

  /** Whether the fleet reports this phase for the present tenancy. */
  public boolean is(HostPhase phase) {
    return report.phase() == phase && report.tenancy() == tenancy();
  }

  /**
   * Whether the machine does not run any more because the operator wants it so: its fleet says that
   * it stopped, or that it failed before it could.
   */
  public boolean isOff() {
    return power() == Power.OFF && (is(HostPhase.STOPPED) || is(HostPhase.FAILED));
  }

  /** Whether this tenancy's machine may still run: its fleet has not said since that it stopped. */
  public boolean mayRun(int ofTenancy) {
    return report.tenancy() == ofTenancy
        && (report.phase() == HostPhase.RUNNING || report.phase() == HostPhase.FAILED);
  }

  /**
   * Whether the machine is assigned and has not come up yet; only then can the assignment be
   * cancelled.
   */
  public boolean isBooting() {
    return assignment().isPresent() && report.phase() == HostPhase.FREE;
  }

  /** This Host under another version. */
  public Host withVersion(long next) {
    return new Host(id, next, machine, occupancy, deliveries, report);
  }

  /** This Host, had by somebody else. */
  public Host withOccupancy(Occupancy next) {
    return new Host(id, version, machine, next, deliveries, report);
  }

  /** This Host with another history of deliveries. */
  public Host withDeliveries(DeliveryHistory next) {
    return new Host(id, version, machine, occupancy, next, report);
  }

  /** This Host with another report of its fleet. */
  public Host withReport(Report next) {
    return new Host(id, version, machine, occupancy, deliveries, next);
  }
}
