package io.nodepool.conformance;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.Next;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Fleets that do one thing otherwise than the contract says. */
final class LyingFleets {
  /** How long Hosts are looked at in most runs. */
  static final Duration REST = Duration.ofMinutes(5);

  private static final Next NOTHING = Next.NOTHING;

  private LyingFleets() {}

  /**
   * A lying fleet.
   *
   * @param check the check that must find it
   * @param rest how long the Hosts must be looked at for that
   */
  record LyingFleet(String name, String check, Supplier<Lie> lie, Duration rest) {
    LyingFleet(String name, String check, Supplier<Lie> lie) {
      this(name, check, lie, REST);
    }

    @Override
    public String toString() {
      return name + " is found by " + check;
    }
  }

  static final List<LyingFleet> ALL =
      List.of(
          new LyingFleet("stale power", "power", LyingFleets::stalePower),
          new LyingFleet(
              "power never renewed",
              "power",
              LyingFleets::powerNeverRenewed,
              Duration.ofMinutes(45)),
          new LyingFleet("early done", "boot-id", LyingFleets::earlyDone),
          new LyingFleet("flapping error", "failed-is-final", LyingFleets::flappingError),
          new LyingFleet("lost tenancy", "tenancy", LyingFleets::lostTenancy),
          new LyingFleet("boot of an earlier tenancy", "boot-id-new", LyingFleets::oldBoot),
          new LyingFleet("two boots", "boots-once", LyingFleets::twoBoots),
          new LyingFleet("unclean release", "release-cleans", LyingFleets::uncleanRelease),
          new LyingFleet("Free instead of Stopped", "release-cleans", LyingFleets::freeAtOnce),
          new LyingFleet(
              "unclean cancellation", "cancel-during-boot", LyingFleets::uncleanCancellation),
          new LyingFleet("silent deploy failure", "says-how-it-ends", LyingFleets::silentFailure),
          new LyingFleet("spec written", "spec-untouched", LyingFleets::specWritten),
          new LyingFleet("request taken away", "spec-untouched", LyingFleets::requestTakenAway),
          new LyingFleet("unoffered kind", "unoffered-kinds", LyingFleets::unofferedKind),
          new LyingFleet("stale status", "status-by-version", LyingFleets::staleStatus),
          new LyingFleet("off ignored during the boot", "off-wins", LyingFleets::offIgnored),
          new LyingFleet("comes back", "off-stays-off", LyingFleets::comesBack),
          new LyingFleet("cancelled and booted", "reassign", LyingFleets::cancelledAndBooted),
          new LyingFleet(
              "another configuration", "configuration", LyingFleets::anotherConfiguration),
          new LyingFleet("no higher try", "higher-try", LyingFleets::noHigherTry),
          new LyingFleet("request ignored", "boot-power-reset", LyingFleets::requestIgnored),
          new LyingFleet("verified twice", "verification", LyingFleets::verifiedTwice),
          new LyingFleet("hot loop", "at-rest", LyingFleets::hotLoop),
          new LyingFleet("Node deleted", "deletes-nothing", LyingFleets::nodeDeleted),
          new LyingFleet("Secret left", "no-orphans", LyingFleets::secretLeft));

  /** No lie: a fleet that learns the boot of a delivery from the kubelet reports it later. */
  static Lie lateBoot() {
    return (_, host, _, truth) -> {
      if (host.is(HostPhase.RUNNING) && host.report().bootId().isEmpty()) {
        String id = "boot-%s-%d".formatted(host.id().uid(), host.tenancy());
        return report(host, host.report().withBoot(host.report().boot().withId(id)));
      }
      return truth.action().orElse(null) instanceof FleetAction.ReportHost(_, Host.Report report)
              && report.phase() == HostPhase.RUNNING
              && !host.is(HostPhase.RUNNING)
          ? report(host, report.withBoot(report.boot().withId("")))
          : truth;
    };
  }

  /** Changes what the fleet is about to report. */
  private static Lie reports(UnaryOperator<FleetAction.ReportHost> change) {
    return (cluster, host, node, truth) ->
        truth.action().orElse(null) instanceof FleetAction.ReportHost report
            ? action(change.apply(report))
            : truth;
  }

  private static Next action(FleetAction action) {
    return new Next(Optional.of(action), Optional.empty());
  }

  private static Next report(Host host, Host.Report report) {
    return action(new FleetAction.ReportHost(host, report));
  }

  private static boolean begins(FleetAction.ReportHost report, HostPhase phase) {
    return report.report().phase() == phase && report.seen().report().phase() != phase;
  }

  /** The power is what it should be, and was read when the fleet began. */
  private static Lie stalePower() {
    return (cluster, host, node, truth) ->
        powerNeverRenewed().tell(cluster, host, node, truth).action().orElse(null)
                instanceof FleetAction.ReportHost(_, Host.Report report)
            ? report(
                host,
                report.withPower(
                    report
                        .power()
                        .map(each ->
                            new Host.PowerReading(
                                each.state(), host.report().power().orElse(each).checkedAt()))))
            : powerNeverRenewed().tell(cluster, host, node, truth);
  }

  private static Lie powerNeverRenewed() {
    return (cluster, host, node, truth) ->
        truth.action().orElse(null) instanceof FleetAction.ReportHost report
                && host.report().power().isPresent()
                && report
                    .report()
                    .withPower(Optional.empty())
                    .equals(host.report().withPower(Optional.empty()))
            ? new Next(Optional.empty(), Optional.of(cluster.now().plus(Duration.ofMinutes(1))))
            : truth;
  }

  /** Running as soon as it is assigned; the machine boots later, and has an id of its own then. */
  private static Lie earlyDone() {
    return (cluster, host, node, truth) -> {
      if (truth.action().orElse(null) instanceof FleetAction.JoinNode) {
        return action(
            new FleetAction.JoinNode(
                host.withReport(
                    host.report().withBoot(Host.Boot.of("true-" + host.tenancy(), "")))));
      }
      if (truth.action().orElse(null) instanceof FleetAction.ReportReadiness) {
        return NOTHING;
      }
      return host.report().phase() == HostPhase.BOOTING
              && host.power() == Host.Power.ON
              && host.assignment().isPresent()
          ? running(cluster, host, "early")
          : truth;
    };
  }

  private static Next running(VirtualCluster cluster, Host host, String boot) {
    return HonestFleet.report(
        host,
        host.report()
            .inPhase(
                HostPhase.RUNNING,
                host.tenancy(),
                Host.Boot.of(boot + "-" + host.tenancy(), host.configuration()),
                cluster.now()),
        cluster.now());
  }

  private static Lie flappingError() {
    Set<String> failed = new HashSet<>();
    return (cluster, host, node, truth) -> {
      if (host.is(HostPhase.FAILED)
          && host.power() == Host.Power.ON
          && host.assignment().isPresent()) {
        return running(cluster, host, "flapping");
      }
      return truth.action().orElse(null) instanceof FleetAction.ReportHost report
              && begins(report, HostPhase.RUNNING)
              && failed.add(host.id().name() + host.tenancy())
          ? report(
              host,
              report
                  .report()
                  .inPhase(
                      HostPhase.FAILED,
                      host.tenancy(),
                      host.report().boot().ended(),
                      cluster.now()))
          : truth;
    };
  }

  private static Lie lostTenancy() {
    return reports(report ->
        begins(report, HostPhase.RUNNING) && report.seen().tenancy() > 1
            ? new FleetAction.ReportHost(
                report.seen(), report.report().withTenancy(report.seen().tenancy() - 1))
            : report);
  }

  private static Lie oldBoot() {
    return reports(report ->
        begins(report, HostPhase.RUNNING)
            ? new FleetAction.ReportHost(
                report.seen(),
                report
                    .report()
                    .withBoot(report.report().boot().withId("always-" + report.host().name())))
            : report);
  }

  private static Lie twoBoots() {
    Set<String> again = new HashSet<>();
    return (cluster, host, node, truth) ->
        truth.action().isEmpty()
                && host.is(HostPhase.RUNNING)
                && host.report().boot().at().isPresent()
                && again.add(host.id().name() + host.report().boot().at())
            ? report(
                host,
                host.report()
                    .withBoot(
                        host.report()
                            .boot()
                            .withId("again-" + cluster.now())
                            .withCycles(host.report().boot().cycles() + 1)))
            : truth;
  }

  private static Lie uncleanRelease() {
    return reports(report ->
        begins(report, HostPhase.CLEANING) && report.seen().report().phase() == HostPhase.STOPPED
            ? new FleetAction.ReportHost(report.seen(), report.report().withPhase(HostPhase.FREE))
            : report);
  }

  /** While its Node is still Ready. */
  private static Lie freeAtOnce() {
    return (cluster, host, node, truth) -> {
      if (truth.action().orElse(null) instanceof FleetAction.ReportHost report
          && begins(report, HostPhase.STOPPED)) {
        return host.report().phase() == HostPhase.FREE
            ? NOTHING
            : report(host, report.report().withPhase(HostPhase.FREE));
      }
      return truth;
    };
  }

  private static Lie uncleanCancellation() {
    return reports(report ->
        begins(report, HostPhase.CLEANING) && report.seen().report().phase() == HostPhase.BOOTING
            ? new FleetAction.ReportHost(report.seen(), report.report().withPhase(HostPhase.FREE))
            : report);
  }

  private static Lie silentFailure() {
    return (cluster, host, node, truth) ->
        truth.action().orElse(null) instanceof FleetAction.ReportHost report
                && begins(report, HostPhase.RUNNING)
            ? NOTHING
            : truth;
  }

  private static Lie specWritten() {
    Set<String> written = new HashSet<>();
    return (cluster, host, node, truth) -> {
      if (host.is(HostPhase.STOPPED) && written.add(host.id().name())) {
        cluster
            .world()
            .fleetOwner()
            .replaceSpec(host.withOccupancy(host.occupancy().withConfiguration("mine")));
        return NOTHING;
      }
      return truth;
    };
  }

  private static Lie requestTakenAway() {
    return (cluster, host, node, truth) -> {
      if (truth.action().isEmpty()
          && host.is(HostPhase.RUNNING)
          && host.boot().isPresent()
          && host.report().boot().at().isPresent()) {
        cluster
            .world()
            .fleetOwner()
            .replaceSpec(host.withOccupancy(host.occupancy().withBoot(Optional.empty())));
        return NOTHING;
      }
      return truth;
    };
  }

  private static Lie unofferedKind() {
    return (cluster, host, node, truth) ->
        cluster.fleet().offered(host).equals(host)
                || host.report().boot().cycle().isPresent()
                || !host.report().bootId().equals(host.boot().orElseThrow().from())
            ? truth
            : report(
                host,
                host.report()
                    .withBoot(
                        host.report()
                            .boot()
                            .withCycles(host.report().boot().cycles() + 1)
                            .withId("unasked-" + cluster.now())));
  }

  private static Lie staleStatus() {
    Map<String, Host.Report> older = new HashMap<>();
    return (cluster, host, node, truth) -> {
      if (host.is(HostPhase.RUNNING) && host.report().boot().cycle().isEmpty()) {
        older.putIfAbsent(host.id().name(), host.report());
      }
      boolean late =
          host.is(HostPhase.STOPPED)
              && older.getOrDefault(host.id().name(), host.report()).tenancy() == host.tenancy();
      return late
          ? report(host, older.replace(host.id().name(), host.report().withTenancy(0)))
          : truth;
    };
  }

  /** The power that was asked for is noticed only when the machine runs. */
  private static Lie offIgnored() {
    return (cluster, host, node, truth) ->
        host.power() == Host.Power.OFF
                && (host.report().phase() == HostPhase.BOOTING
                    || host.report().phase() == HostPhase.FREE)
                && host.assignment().isPresent()
            ? running(cluster, host, "late")
            : truth;
  }

  private static Lie comesBack() {
    Set<Integer> back = new HashSet<>();
    return (cluster, host, node, truth) ->
        host.is(HostPhase.STOPPED) && node.isPresent() && back.add(host.tenancy())
            ? running(cluster, host, "back")
            : truth;
  }

  private static Lie cancelledAndBooted() {
    Map<String, Integer> ran = new HashMap<>();
    return (cluster, host, node, truth) ->
        host.assignment().isEmpty()
                && (host.report().phase() == HostPhase.BOOTING
                    || host.report().tenancy() < host.tenancy())
                && !Integer.valueOf(host.tenancy())
                    .equals(ran.put(host.id().name(), host.tenancy()))
            ? running(cluster, host, "cancelled")
            : truth;
  }

  private static Lie anotherConfiguration() {
    return reports(report ->
        report.report().bootId().isEmpty()
            ? report
            : new FleetAction.ReportHost(
                report.seen(),
                report.report().withBoot(report.report().boot().withConfiguration("image-1"))));
  }

  private static Lie noHigherTry() {
    return (cluster, host, node, truth) ->
        truth.action().orElse(null) instanceof FleetAction.ReportHost report
                && report.report().boot().cycle().filter(each -> each.attempt() > 1).isPresent()
                && host.report().boot().cycle().isPresent()
            ? report(
                host,
                report
                    .report()
                    .withBoot(report.report().boot().withCycles(host.report().boot().cycles())))
            : truth;
  }

  private static Lie requestIgnored() {
    return (cluster, host, node, truth) ->
        host.boot().filter(each -> each.kind().word().equals("PowerReset")).isPresent()
                && host.isRebooting()
            ? NOTHING
            : truth;
  }

  private static Lie verifiedTwice() {
    Set<Host.Verification> again = new HashSet<>();
    return (cluster, host, node, truth) ->
        truth.action().isEmpty()
                && host.is(HostPhase.RUNNING)
                && host.report()
                    .boot()
                    .verification()
                    .filter(each -> again.size() < 2 && each.passed() && again.add(each))
                    .isPresent()
            ? report(
                host,
                host.report()
                    .withBoot(
                        host.report()
                            .boot()
                            .withVerification(
                                host.report()
                                    .boot()
                                    .verification()
                                    .map(each ->
                                        new Host.Verification(
                                            each.bootId(),
                                            each.operation(),
                                            each.attempt(),
                                            false,
                                            cluster.now(),
                                            "")))))
            : truth;
  }

  private static Lie hotLoop() {
    return (cluster, host, node, truth) ->
        truth.action().isEmpty()
                && host.report().phase() == HostPhase.FREE
                && host.report()
                    .power()
                    .filter(each -> each.checkedAt().plusSeconds(20).isBefore(cluster.now()))
                    .isPresent()
            ? HonestFleet.report(host, host.report(), cluster.now())
            : new Next(truth.action(), Optional.of(cluster.now().plusSeconds(30)));
  }

  private static Lie nodeDeleted() {
    return (cluster, host, node, truth) -> {
      if (host.is(HostPhase.STOPPED) && node.isPresent()) {
        cluster.world().nodeClients().delete(host.id().name());
      }
      return truth;
    };
  }

  private static Lie secretLeft() {
    return (cluster, host, node, truth) -> {
      if (host.is(HostPhase.RUNNING)) {
        cluster.left.add("Secret join-" + host.id().name() + "-" + host.tenancy());
      }
      return truth;
    };
  }
}
