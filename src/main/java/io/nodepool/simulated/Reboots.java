package io.nodepool.simulated;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * The reboots and verifications of a running simulated machine. Pure: a reboot that began is
 * recorded on the Host, so a data centre that restarts continues where it stopped, and no request
 * leads to two power cycles.
 */
final class Reboots {
  private static final String HANGS =
      "The machine does not come up with this configuration; another try begins anew.";

  private final long seed;
  private final DataCentre.Timings timings;
  private final RebootMishaps mishaps;
  private final BrokenBoots broken;
  private final MachineHealth health;

  Reboots(DataCentre dataCentre, BrokenBoots broken, MachineHealth health) {
    this.broken = broken;
    this.health = health;
    this.seed = dataCentre.seed();
    this.timings = dataCentre.timings();
    this.mishaps = dataCentre.mishaps().reboots();
  }

  /** Id of the first boot of a tenancy. */
  static String firstBootId(long seed, Host host) {
    return bootId(seed, "bootId/" + host.id().name() + "/" + host.tenancy());
  }

  /** A UUID, as the kernel of a machine gives each boot. */
  private static String bootId(long seed, String name) {
    long version4 = (Seeds.mix(seed, name) & ~0xf000L) | 0x4000L;
    long variant = (Seeds.mix(seed, name + "/2") >>> 2) | (1L << 63);
    return new UUID(version4, variant).toString();
  }

  /** The configuration that a machine boots into. */
  static String bootsInto(Host host, Host.Cycle cycle) {
    return cycle.configuration().isEmpty() ? host.configuration() : cycle.configuration();
  }

  /**
   * Id of the next boot: it differs for each boot that the machine leaves. The count of reboots
   * distinguishes boots without a known id.
   */
  private String nextBootId(Host host, Host.Cycle cycle) {
    String left = cycle.from().isEmpty() ? "reboot " + host.report().boot().cycles() : cycle.from();
    return bootId(
        seed,
        "bootId/%s/%d/%s/%d".formatted(host.id().name(), host.tenancy(), left, cycle.attempt()));
  }

  /**
   * The next step of a reboot that was requested or is in progress: it begins, its Node becomes not
   * Ready, it ends. Empty if there is none. A requested reboot and a reboot by the machine itself
   * are one if they leave the same boot.
   */
  Optional<Next> next(
      Host host, Optional<JoinedNode> node, Optional<String> bootToLeave, Instant now) {
    Optional<Host.Cycle> cycle =
        host.report().boot().cycle().filter(each -> each.from().equals(host.report().bootId()));
    return host.boot()
        .filter(request -> host.isRebooting() && !hasBootedFor(host, request))
        .filter(request -> cycle.filter(each -> each.attempt() == request.attempt()).isEmpty())
        .map(request -> begin(host, request.attempt(), now))
        .or(() -> cycle.map(each -> goOn(host, each, node, now)))
        .or(() ->
            bootToLeave
                .filter(boot -> !boot.isEmpty() && boot.equals(host.report().bootId()))
                .map(_ -> begin(host, 1, now)));
  }

  /**
   * Whether the machine booted since a request that names no boot; the request is one power cycle
   * too.
   */
  private static boolean hasBootedFor(Host host, BootRequest request) {
    return request.from().isEmpty()
        && host.report().boot().at().filter(at -> !at.isBefore(request.at())).isPresent();
  }

  private Next begin(Host host, int attempt, Instant now) {
    Host.Cycle cycle =
        new Host.Cycle(host.report().bootId(), attempt, now, host.configuration(), "");
    Host.Boot boot = host.report().boot().withCycles(host.report().boot().cycles() + 1);
    Host begun = host.withReport(host.report().withBoot(boot.withCycle(Optional.of(cycle))));
    // A reboot that takes no time is written once, at its end.
    return timings.reboot().isZero() && isRegular(begun, cycle)
        ? Next.report(host, ended(begun, cycle, now))
        : Next.report(host, begun.report());
  }

  private boolean isRegular(Host host, Host.Cycle cycle) {
    return !hangs(host, cycle) && !neverEnds(host) && !fails(host, cycle);
  }

  private Next goOn(Host host, Host.Cycle cycle, Optional<JoinedNode> node, Instant now) {
    Optional<JoinedNode> ready = node.filter(JoinedNode::current).filter(JoinedNode::ready);
    if (ready.isPresent()) {
      return Next.now(new FleetAction.ReportReadiness(host, ready.get().uid(), false));
    }
    if (hangs(host, cycle) || cycle.message().equals(HANGS)) {
      return Next.NOTHING;
    }
    Instant end = cycle.at().plus(timings.reboot());
    if (now.isBefore(end)) {
      return Next.at(end);
    }
    if (neverEnds(host)) {
      return Next.report(host, hung(host, cycle));
    }
    return Next.report(host, fails(host, cycle) ? failed(host, now) : ended(host, cycle, now));
  }

  /** Records that the boot hangs, since its number falls when other machines leave theirs. */
  private static Host.Report hung(Host host, Host.Cycle cycle) {
    return host.report()
        .withBoot(host.report().boot().withCycle(Optional.of(cycle.withMessage(HANGS))));
  }

  private Host.Report ended(Host host, Host.Cycle cycle, Instant now) {
    return host.report()
        .withBoot(
            new Host.Boot(
                nextBootId(host, cycle),
                bootsInto(host, cycle),
                Optional.of(now),
                host.report().boot().cycles(),
                Optional.empty(),
                host.report().boot().verification()));
  }

  private static Host.Report failed(Host host, Instant now) {
    return host.report()
        .inPhase(HostPhase.FAILED, host.tenancy(), host.report().boot().ended(), now);
  }

  private boolean hangs(Host host, Host.Cycle cycle) {
    return isScripted(RebootMishaps.Kind.HANG, host) || chance(host, cycle) < mishaps.hangPercent();
  }

  /** Whether a broken configuration hangs the boot; its number is known when it could end. */
  private boolean neverEnds(Host host) {
    return broken.breaks(RebootMishaps.Kind.HANG, host);
  }

  private boolean fails(Host host, Host.Cycle cycle) {
    return isScripted(RebootMishaps.Kind.FAIL, host)
        || broken.breaks(RebootMishaps.Kind.FAIL, host)
        || chance(host, cycle) < mishaps.hangPercent() + mishaps.failPercent();
  }

  private double chance(Host host, Host.Cycle cycle) {
    return percent("reboot/%s/%s/%d".formatted(host.id().name(), cycle.from(), cycle.attempt()));
  }

  private double percent(String name) {
    return Seeds.fraction(seed, name) * 100;
  }

  private boolean isScripted(RebootMishaps.Kind kind, Host host) {
    return mishaps.scripts(kind, host.id().name(), host.report().boot().cycles());
  }

  /**
   * Reports the boot of the machine on its Node, if the Node shows another boot, or that the Node
   * is not Ready, if its kubelet is silent.
   */
  Optional<Next> inStep(Host host, Optional<JoinedNode> node, Instant now) {
    boolean silent = health.isSilent(host, now);
    boolean ready =
        !silent
            && !broken.breaks(RebootMishaps.Kind.NOT_READY, host)
            && (host.report().boot().at().isEmpty()
                || !isScripted(RebootMishaps.Kind.NOT_READY, host));
    return node.filter(JoinedNode::current)
        .filter(each -> !each.bootId().equals(host.report().bootId()) || (silent && each.ready()))
        .map(each -> Next.now(new FleetAction.ReportReadiness(host, each.uid(), ready)));
  }

  /** The verification of the present boot, if one was requested and is not reported yet. */
  Next verification(Host host, Instant now) {
    return host.boot()
        .flatMap(request ->
            verifiedFrom(host, request)
                .map(begin -> begin.plus(timings.verification()))
                .map(end -> now.isBefore(end) ? Next.at(end) : verified(host, request, now)))
        .orElse(Next.NOTHING);
  }

  /**
   * When the verification for a request began; empty if there is none to do. The first boot of a
   * tenancy was not requested, so requests of earlier tenancies do not count. A boot without an id
   * is not verified, since a verification names its boot.
   */
  private static Optional<Instant> verifiedFrom(Host host, BootRequest request) {
    Host.Boot boot = host.report().boot();
    boolean left = !request.from().equals(boot.id());
    boolean answered =
        boot.verification()
            .filter(last ->
                request.isOf(last.operation())
                    && last.attempt() == request.attempt()
                    && (request.kind().boots() || last.bootId().equals(boot.id())))
            .isPresent();
    if (boot.id().isEmpty() || answered || left != request.kind().boots()) {
      return Optional.empty();
    }
    return left ? boot.at() : Optional.of(request.at());
  }

  private Next verified(Host host, BootRequest request, Instant now) {
    boolean fails =
        isScripted(RebootMishaps.Kind.VERIFICATION_FAILURE, host)
            || broken.breaks(RebootMishaps.Kind.VERIFICATION_FAILURE, host)
            || health.faultFound(host, request, now).isPresent()
            || percent(
                    "verification/%s/%s/%s/%d"
                        .formatted(
                            host.id().name(),
                            host.report().bootId(),
                            request.operation(),
                            request.attempt()))
                < mishaps.verificationFailurePercent();
    Host.Verification verification =
        new Host.Verification(
            host.report().bootId(),
            request.operation(),
            request.attempt(),
            !fails,
            now,
            fails
                ? "The data centre lets it fail: %s."
                    .formatted(health.failedTest(host, request, now))
                : "All checks passed.");
    return Next.report(
        host,
        host.report().withBoot(host.report().boot().withVerification(Optional.of(verification))));
  }
}
