package io.nodepool.world;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.simulated.FleetAction;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/** Adds the faults of a fleet to the reports on its machines. */
final class FaultyReports {
  private static final String OTHER_CONFIGURATION = "another-configuration";
  private static final String OTHER_BOOT = "another-boot";

  /** Longer than the operator waits for a boot or a verification. */
  private static final Duration LATEST = Duration.ofMinutes(40);

  /**
   * A report, possibly changed by a fault.
   *
   * @param now the report that is made now
   * @param later the report that is made after the delay
   */
  record FaultyReport(Optional<FleetAction> now, Optional<FleetAction> later, Duration delay) {
    static FaultyReport of(FleetAction action) {
      return new FaultyReport(Optional.of(action), Optional.empty(), Duration.ZERO);
    }
  }

  private static final FaultyReport DROPPED =
      new FaultyReport(Optional.empty(), Optional.empty(), Duration.ZERO);

  private final WorldCluster cluster;
  private final Situations situations;
  private final SplittableRandom random;
  private FleetFaults faults = FleetFaults.NONE;

  /**
   * The attempts after which a machine reported the previous boot id, or none. Its status does not
   * show that it began these attempts.
   */
  private final Set<String> notIdentified = new HashSet<>();

  FaultyReports(WorldCluster cluster, Situations situations, SplittableRandom random) {
    this.cluster = cluster;
    this.situations = situations;
    this.random = random;
  }

  void set(FleetFaults next) {
    faults = next;
    if (!next.clock().isZero()) {
      situations.add(Situation.FLEET_CLOCK_OFF);
    }
  }

  /** How far the fleet's clock is ahead. */
  Duration clock() {
    return faults.clock();
  }

  /** Decides how a fault changes an action that is about to take effect for the first time. */
  FaultyReport reported(FleetAction action) {
    if (!(action instanceof FleetAction.ReportHost report)) {
      return FaultyReport.of(action);
    }
    return faults.equals(FleetFaults.NONE) && notIdentified.isEmpty()
        ? FaultyReport.of(action)
        : reported(report);
  }

  private FaultyReport reported(FleetAction.ReportHost action) {
    Host.Boot before = action.seen().report().boot();
    Host.Boot after = action.report().boot();
    if (after.cycles() > before.cycles()) {
      return begin(action);
    }
    if (action.report().phase() == HostPhase.RUNNING && !after.id().equals(before.id())) {
      return before.cycle().isPresent()
          ? rebooted(action)
          : FaultyReport.of(identified(configured(action)));
    }
    return after.verification().equals(before.verification())
        ? FaultyReport.of(action)
        : verified(action);
  }

  private boolean occurs(int percent, Situation situation) {
    boolean occurs = percent > 0 && random.nextInt(100) < percent;
    if (occurs) {
      situations.add(situation);
    }
    return occurs;
  }

  private Duration delay() {
    return Duration.ofSeconds(30 + random.nextLong(LATEST.toSeconds()));
  }

  private FaultyReport begin(FleetAction.ReportHost action) {
    if (notIdentified.contains(attempt(action))) {
      return DROPPED;
    }
    return occurs(faults.lateStart(), Situation.BOOT_BEGUN_LATE)
        ? new FaultyReport(Optional.empty(), Optional.of(action), delay())
        : FaultyReport.of(action);
  }

  private static String attempt(FleetAction.ReportHost action) {
    Optional<BootRequest> request = action.seen().boot();
    return action.host().uid()
        + request.map(each -> " " + each.operation() + " " + each.attempt()).orElse("");
  }

  private FaultyReport rebooted(FleetAction.ReportHost action) {
    FleetAction.ReportHost configured = configured(action);
    if (occurs(faults.repeatedBootId(), Situation.BOOT_ID_REPEATED)) {
      notIdentified.add(attempt(action));
      String last = action.seen().report().bootId();
      return FaultyReport.of(withId(configured, last));
    }
    if (occurs(faults.lateBootId(), Situation.BOOT_ID_LATE)) {
      cluster.nodeClients().booted(action.host().name(), action.report().bootId());
      return new FaultyReport(Optional.empty(), Optional.of(configured), delay());
    }
    FleetAction.ReportHost identified = identified(configured);
    if (identified.report().bootId().isEmpty()) {
      notIdentified.add(attempt(action));
    }
    return FaultyReport.of(identified);
  }

  private FleetAction.ReportHost identified(FleetAction.ReportHost action) {
    return occurs(faults.noBootId(), Situation.NO_BOOT_ID) ? withId(action, "") : action;
  }

  private FleetAction.ReportHost configured(FleetAction.ReportHost action) {
    return occurs(faults.otherConfiguration(), Situation.BOOTED_ANOTHER_CONFIGURATION)
        ? on(action, action.report().bootId(), OTHER_CONFIGURATION)
        : action;
  }

  private FaultyReport verified(FleetAction.ReportHost action) {
    if (!occurs(faults.wrongVerification(), Situation.VERIFIED_WRONGLY)) {
      return FaultyReport.of(action);
    }
    Host.Boot boot = action.report().boot();
    boolean otherBoot = random.nextBoolean();
    Optional<Host.Verification> wrong =
        boot.verification()
            .map(each ->
                new Host.Verification(
                    otherBoot ? OTHER_BOOT : each.bootId(),
                    each.operation(),
                    otherBoot ? each.attempt() : each.attempt() + 1,
                    each.passed(),
                    each.at(),
                    each.message()));
    return new FaultyReport(
        Optional.of(withBoot(action, boot.withVerification(wrong))), Optional.of(action), delay());
  }

  private static FleetAction.ReportHost withId(FleetAction.ReportHost action, String id) {
    return on(action, id, action.report().boot().configuration());
  }

  /** The report with another boot. */
  private static FleetAction.ReportHost on(
      FleetAction.ReportHost action, String id, String configuration) {
    Host.Boot boot = action.report().boot();
    return withBoot(
        action,
        new Host.Boot(
            id, configuration, boot.at(), boot.cycles(), boot.cycle(), boot.verification()));
  }

  private static FleetAction.ReportHost withBoot(FleetAction.ReportHost action, Host.Boot boot) {
    return new FleetAction.ReportHost(action.seen(), action.report().withBoot(boot));
  }
}
