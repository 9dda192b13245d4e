package io.nodepool.fleet;

import io.nodepool.health.Signal;
import io.nodepool.vocabulary.Word;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A machine of the fleet as last observed: the part that the operator writes (tenancy, assignment,
 * configuration, power) and the part that the fleet writes (report).
 *
 * @param version grows with every change of the object; orders observations of one UID
 * @param occupancy the assignment of the machine, as the operator wrote it
 * @param deliveries the record of its failed deliveries
 */
@RecordBuilder
public record Host(
    HostId id,
    long version,
    Machine machine,
    Occupancy occupancy,
    DeliveryHistory deliveries,
    Report report)
    implements HostCopy.With {

  /**
   * The assignment of a machine, and its wanted configuration and power.
   *
   * @param tenancy the number of assignments of the machine so far
   * @param configuration the configuration that it must boot the next time it boots; while it is
   *     not assigned, that of its last assignment; empty text if there is none
   * @param boot the last request to boot it anew; empty if there was none
   * @param repairs the last requests to repair components of it, by alert, at most {@value
   *     ComponentRepair#REMEMBERED}
   * @param past what was recently done to it for alerts, in any tenancy, oldest first, at most
   *     {@value PastRepair#REMEMBERED}
   * @param fenced the last confirmation of a person that it cannot run, made when its power was not
   *     known
   */
  @RecordBuilder
  public record Occupancy(
      int tenancy,
      Optional<Assignment> assignment,
      String configuration,
      Power power,
      Optional<BootRequest> boot,
      List<ComponentRepair> repairs,
      List<PastRepair> past,
      Optional<Fenced> fenced)
      implements HostOccupancyCopy.With {
    public Occupancy {
      repairs = List.copyOf(repairs);
      past = List.copyOf(past);
    }

    /** An occupancy of a machine without earlier boot requests and repairs. */
    public Occupancy(
        int tenancy, Optional<Assignment> assignment, String configuration, Power power) {
      this(
          tenancy,
          assignment,
          configuration,
          power,
          Optional.empty(),
          List.of(),
          List.of(),
          Optional.empty());
    }

    /** No assignment, after this number of tenancies. */
    public static Occupancy none(int tenancy) {
      return new Occupancy(tenancy, Optional.empty(), "", Power.ON);
    }

    /**
     * This occupancy without its assignment. The configuration, the last boot request with its
     * history, and the repairs stay. The boot request has no effect in a later tenancy, which has
     * another boot than the request names.
     */
    public Occupancy released() {
      return withAssignment(Optional.empty()).withPower(Power.ON);
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
   * A person confirmed that a failed machine no longer runs and cannot start by itself: they cut
   * its power, or its network and storage.
   *
   * @param tenancy the tenancy in which it failed
   * @param since when the phase that the person saw began; the confirmation is valid only for it
   * @param at when they confirmed it
   */
  public record Fenced(int tenancy, Instant since, Instant at) {}

  /**
   * The power of a machine, as its fleet read it.
   *
   * @param checkedAt when the fleet last read it from the machine
   */
  public record PowerReading(State state, Instant checkedAt) {
    /** How old a reading may be. */
    public static final Duration VALID = Duration.ofMinutes(30);

    /** Whether the machine is powered on. */
    public enum State implements Word {
      /** The machine is on. */
      ON,
      /** The machine is off. */
      OFF,
      /** The fleet cannot read the power. */
      UNKNOWN
    }

    /** When the reading becomes out of date. */
    public Instant staleAt() {
      return checkedAt.plus(VALID);
    }

    /** Whether this reading, if not out of date, shows that the machine is off. */
    boolean isOff(Instant now) {
      return state == State.OFF && now.isBefore(staleAt());
    }
  }

  /** Why nothing begins on a machine, and what ends the hold. Work in progress waits. */
  public enum Hold implements Word {
    /** Its owner works on it. */
    MAINTENANCE("its owner works on it, until its fleet reports the end of the maintenance"),
    /** Its fleet cannot read its power. */
    POWER_UNKNOWN("its fleet cannot read its power, until it can again"),
    /** Its fleet has not read its power for too long: the fleet may be down, or its report old. */
    POWER_STALE("its fleet has not read its power for 30 minutes, until it has again");

    private final String text;

    Hold(String text) {
      this.text = text;
    }

    /** The reason in words: {@code "nothing begins, since " + text()}. */
    public String text() {
      return text;
    }
  }

  /**
   * The fleet's report on a machine.
   *
   * @param tenancy the tenancy that the phase belongs to; an older one does not describe the
   *     current assignment
   * @param since when the phase began
   * @param joinRefusal the API server's response if it denies the machine's Node, or why it does
   *     not answer; empty text otherwise
   * @param spot whether spot pools may use the machine, and whether the fleet wants it back
   * @param signals what the fleet reports about the machine's health, ordered by key
   * @param repairs the fleet's answers to the requests to repair components, one for each alert
   * @param message a sentence for people about the phase; may be empty text
   * @param power the power of the machine; empty if its fleet does not report it
   * @param maintenance whether the machine's owner works on it
   */
  @RecordBuilder
  public record Report(
      HostPhase phase,
      int tenancy,
      Boot boot,
      Instant since,
      String joinRefusal,
      Spot spot,
      List<Signal> signals,
      List<ComponentRepair.RepairAnswer> repairs,
      String message,
      Optional<PowerReading> power,
      boolean maintenance)
      implements HostReportCopy.With {
    public Report {
      signals = List.copyOf(signals);
      repairs = List.copyOf(repairs);
    }

    /** A report without a join refusal, on a machine that is not offered as spot. */
    public Report(
        HostPhase phase, int tenancy, String bootId, String bootedConfiguration, Instant since) {
      this(phase, tenancy, Boot.of(bootId, bootedConfiguration), since);
    }

    /** A report of only a phase and a boot. */
    public Report(HostPhase phase, int tenancy, Boot boot, Instant since) {
      this(
          phase,
          tenancy,
          boot,
          since,
          "",
          Spot.NOT_OFFERED,
          List.of(),
          List.of(),
          "",
          Optional.empty(),
          false);
    }

    /** This report when another phase begins: without a join refusal and a message. */
    public Report inPhase(HostPhase next, int ofTenancy, Boot nextBoot, Instant at) {
      return new Report(
          next, ofTenancy, nextBoot, at, "", spot, signals, repairs, "", power, maintenance);
    }

    /** Id of the last boot; empty text if the machine does not run. */
    public String bootId() {
      return boot.id();
    }

    /** Id of the configuration that the machine booted into. */
    public String bootedConfiguration() {
      return boot.configuration();
    }
  }

  /**
   * The last boot of a machine, and what the fleet did since.
   *
   * @param id the boot id that its kubelet reports; another one after every boot
   * @param configuration id of the configuration that the machine booted into
   * @param at when it booted anew; empty for the first boot of a tenancy, which ended when the
   *     phase Running began
   * @param cycles the number of reboots that the fleet carried out on request so far
   * @param cycle the reboot in progress; empty while there is none
   * @param verification the last verification; empty before the first one, and with a fleet that
   *     does not verify
   */
  @RecordBuilder
  public record Boot(
      String id,
      String configuration,
      Optional<Instant> at,
      int cycles,
      Optional<Cycle> cycle,
      Optional<Verification> verification)
      implements HostBootCopy.With {
    /** A boot that was not verified. */
    public static Boot of(String id, String configuration) {
      return new Boot(id, configuration, Optional.empty(), 0, Optional.empty(), Optional.empty());
    }

    /** A first boot of the machine after this one. */
    public Boot first(String nextId, String nextConfiguration) {
      return new Boot(
          nextId, nextConfiguration, Optional.empty(), cycles, Optional.empty(), verification);
    }

    /** No boot after this one, since the machine does not run. */
    public Boot ended() {
      return first("", "");
    }
  }

  /**
   * A reboot that the fleet carries out.
   *
   * @param from id of the boot that the machine leaves
   * @param attempt the attempt of the request
   * @param at when it began
   * @param configuration id of the configuration that the machine boots into; empty text if its
   *     fleet does not report it
   * @param message the fleet's message about it, for people; may be empty text
   */
  @RecordBuilder
  public record Cycle(String from, int attempt, Instant at, String configuration, String message)
      implements HostCycleCopy.With {
    /** Whether both are the same reboot; configuration and message may differ. */
    public boolean isSame(Cycle other) {
      return from.equals(other.from) && attempt == other.attempt && at.equals(other.at);
    }
  }

  /**
   * The verification of a boot.
   *
   * @param bootId the boot that was verified
   * @param operation the request that it answers; empty text after the first boot of a tenancy
   * @param attempt the attempt of that request
   * @param message what was found, for people; may be empty text
   */
  public record Verification(
      String bootId, String operation, int attempt, boolean passed, Instant at, String message) {
    /** Whether it verifies this boot, as this request asked. */
    public boolean answers(String ofBoot, BootRequest request) {
      return bootId.equals(ofBoot) && request.isOf(operation) && attempt == request.attempt();
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
     * Whether the machine may be assigned to a spot pool: a preempted machine may not while its
     * notice exists (decision D70).
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

  /** Why and until when the machine is kept for inspection. */
  public Optional<Assignment.Preserved> preserved() {
    return assignment().flatMap(Assignment::preserved);
  }

  /** Id of the configuration that the machine must boot the next time it boots. */
  public String configuration() {
    return occupancy.configuration();
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

  /**
   * Whether the machine serves the pool with this UID: the pool holds it, and does not keep it for
   * inspection.
   */
  public boolean serves(String poolUid) {
    return serving().filter(pool -> pool.uid().equals(poolUid)).isPresent();
  }

  /** The pool that the machine serves; empty if none holds it, or it is kept for inspection. */
  public Optional<PoolId> serving() {
    return assignment().filter(held -> held.preserved().isEmpty()).map(Assignment::pool);
  }

  /** Whether the fleet reports this phase for the current tenancy. */
  public boolean is(HostPhase phase) {
    return report.phase() == phase && report.tenancy() == tenancy();
  }

  /**
   * Whether the machine no longer runs, as the operator requested: its fleet reports that it
   * stopped, or that it failed before it could stop and cannot run.
   */
  public boolean isOff(Instant now) {
    return power() == Power.OFF
        && (is(HostPhase.STOPPED) || is(HostPhase.FAILED))
        && !mayStillRun(now);
  }

  /**
   * Whether the machine may run although its fleet reports that it stopped or failed. A stopped
   * machine may run if its power is reported on, a failed one unless its power is known to be off.
   * A fenced machine counts as off, and so does a machine whose fleet never reports power.
   */
  public boolean mayStillRun(Instant now) {
    return !isFenced()
        && report
            .power()
            .filter(reading ->
                is(HostPhase.FAILED)
                    ? !reading.isOff(now)
                    : is(HostPhase.STOPPED) && reading.state() == PowerReading.State.ON)
            .isPresent();
  }

  /** Whether a person confirmed that the machine cannot run, in its current phase and tenancy. */
  public boolean isFenced() {
    return occupancy
        .fenced()
        .filter(said -> said.tenancy() == tenancy() && said.since().equals(report.since()))
        .isPresent();
  }

  /** Why nothing may begin on the machine; empty if something may. */
  public Optional<Hold> hold(Instant now) {
    if (report.maintenance()) {
      return Optional.of(Hold.MAINTENANCE);
    }
    return report
        .power()
        .flatMap(reading ->
            reading.state() == PowerReading.State.UNKNOWN
                ? Optional.of(Hold.POWER_UNKNOWN)
                : now.isBefore(reading.staleAt())
                    ? Optional.empty()
                    : Optional.of(Hold.POWER_STALE));
  }

  /** When the power reading becomes out of date; empty if it already is, or never will be. */
  public Optional<Instant> staleAt(Instant now) {
    return report
        .power()
        .filter(reading -> reading.state() != PowerReading.State.UNKNOWN)
        .map(PowerReading::staleAt)
        .filter(now::isBefore);
  }

  /**
   * Whether the machine is assigned and has not booted yet; only then can the assignment be
   * cancelled. Its fleet may or may not report yet that the boot began.
   */
  public boolean isBooting() {
    return assignment().isPresent() && (report.phase() == HostPhase.FREE || is(HostPhase.BOOTING));
  }

  /** The fleet's notice that it wants the machine back. */
  public Optional<Reclaim> reclaim() {
    return report.spot().reclaim();
  }

  /** The last request to boot the machine anew. */
  public Optional<BootRequest> boot() {
    return occupancy.boot();
  }

  /**
   * The last boot request of this assignment, if it asks to verify the machine because of an alert.
   * A later boot or verification for another reason replaces it.
   */
  public Optional<BootRequest> alertVerification() {
    return boot()
        .filter(BootRequest::isAlertVerification)
        .filter(last -> isOfAssignment(last.at()));
  }

  /** Whether the machine passed {@link #alertVerification()}; empty while it has not answered. */
  public Optional<Boolean> alertVerified() {
    return alertVerification().flatMap(this::verified);
  }

  /** Whether the machine passed this verification; empty while it has not answered. */
  public Optional<Boolean> verified(BootRequest request) {
    return report
        .boot()
        .verification()
        .filter(answer -> answer.answers(report.bootId(), request))
        .map(Verification::passed);
  }

  /** Whether the machine did not pass the verification requested for this alert. */
  public boolean isProvedFaulty(String alert) {
    return alertVerification().filter(last -> last.alert().equals(alert)).isPresent()
        && alertVerified().filter(passed -> !passed).isPresent();
  }

  /** The last request to repair a component for this alert, in any tenancy. */
  public Optional<ComponentRepair> repair(String alert) {
    return ComponentRepair.find(occupancy.repairs(), alert);
  }

  /** What was recently done to the machine for alerts, in any tenancy, oldest first. */
  public List<PastRepair> past() {
    return occupancy.past();
  }

  /** The component repairs requested in this assignment that the fleet has not answered. */
  public Stream<ComponentRepair> unansweredRepairs() {
    return occupancy.repairs().stream()
        .filter(each -> isOfAssignment(each.at()))
        .filter(each -> each.answer(report.repairs()).isEmpty());
  }

  /** Whether the machine must leave its boot, and its fleet does not report another boot yet. */
  public boolean isRebooting() {
    return power() == Power.ON
        && boot().filter(request -> request.kind().boots() && isToLeave(request)).isPresent();
  }

  /**
   * Whether the request names the machine's last boot. A request that names none, since none was
   * reported, is valid only in the assignment in which it was made.
   */
  private boolean isToLeave(BootRequest request) {
    return request.from().equals(report.bootId())
        && (!request.from().isEmpty() || isOfAssignment(request.at()));
  }

  /**
   * Whether a reboot was requested since the machine's delivery. Otherwise only the delivery
   * decides its boot.
   */
  public boolean isRebooted() {
    return boot()
        .filter(request -> request.kind().boots() && isOfAssignment(request.at()))
        .isPresent();
  }

  /** Whether a verification without a boot was requested that the machine has not passed. */
  public boolean isUnverified() {
    return boot()
        .filter(request -> !request.kind().boots() && !verified(request).orElse(false))
        .isPresent();
  }

  /** Whether the machine was asked to boot a configuration, and booted into another one. */
  public boolean bootedAnotherConfiguration() {
    String asked = boot().map(BootRequest::configuration).orElse("");
    return is(HostPhase.RUNNING)
        && !isRebooting()
        && isRebooted()
        && !asked.isEmpty()
        && !asked.equals(report.bootedConfiguration());
  }

  /** Whether this instant is in the present assignment. */
  public boolean isOfAssignment(Instant at) {
    return assignment().filter(held -> !at.isBefore(held.at())).isPresent();
  }

  /**
   * The fleet's notice if it preempts a Node: a notice on a Host that no spot pool holds is ignored
   * (decision D70).
   */
  public Optional<Reclaim> preemption() {
    return reclaim().filter(_ -> assignment().filter(Assignment::isSpot).isPresent());
  }
}
