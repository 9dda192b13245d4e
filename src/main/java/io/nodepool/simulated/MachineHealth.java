package io.nodepool.simulated;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.SourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What simulated machines report about their health. Pure: a function of time, seed, and the boots
 * that are recorded on the Host, so that a data centre that restarts continues where it stopped.
 */
final class MachineHealth {
  /** The prefix of the messages of signals that the data centre removes again; others stay. */
  private static final String OURS = "Simulated";

  private static final String PUNTED_ROUTES = "DPUUnexpectedPuntedRoutes";
  private static final String NV_FABRIC = "NodeVerificationFailureNVFabric";
  private static final String DEADLOCK = "NodeVerificationFailureMegatronDeadlock";

  private final long seed;
  private final List<MachineFault> faults;
  private final int puntedRoutesPercent;

  MachineHealth(DataCentre dataCentre) {
    this.seed = dataCentre.seed();
    this.faults = dataCentre.mishaps().faults();
    this.puntedRoutesPercent = dataCentre.mishaps().reboots().puntedRoutesPercent();
  }

  /**
   * What a Host reports.
   *
   * @param signals ordered by key, at most {@value Signal#MOST}, one of each name
   * @param changesAt when the signals change without another observation; empty if they do not
   */
  record Decision(List<Signal> signals, Optional<Instant> changesAt) {}

  /** What this Host reports now; the times of the Host are those of the data centre's clock. */
  Decision decide(Host host, Instant now) {
    SortedMap<String, Signal> ours = new TreeMap<>();
    faults(host)
        .forEach(fault -> {
          Instant began = began(fault, host).orElse(Instant.MAX);
          if (stands(fault, began, host, now)) {
            Instant since = since(fault, began, now);
            ours.putIfAbsent(fault.part().alert(), signal(fault.part(), "fault", since, host));
            fault
                .course()
                .leadsTo()
                .filter(_ -> !now.isBefore(began.plus(fault.course().leadsToAfter())))
                .ifPresent(part ->
                    ours.putIfAbsent(
                        part.alert(),
                        signal(part, "fault", began.plus(fault.course().leadsToAfter()), host)));
          }
        });
    afterResets(host).ifPresent(signal -> ours.putIfAbsent(signal.name(), signal));
    ofVerification(host).ifPresent(signal -> ours.putIfAbsent(signal.name(), signal));
    List<Signal> all =
        Stream.concat(
                host.report().signals().stream()
                    .filter(each -> !each.message().startsWith(OURS))
                    .filter(each -> !ours.containsKey(each.name())),
                ours.values().stream())
            .limit(Signal.MOST)
            .sorted((one, other) -> one.key().compareTo(other.key()))
            .toList();
    return new Decision(all, changesAt(host, now));
  }

  /** Whether the kubelet of this machine is silent. */
  boolean isSilent(Host host, Instant now) {
    return isAny(faults(host).filter(fault -> fault.course().silent()), host, now);
  }

  /** Whether the repair of a component heals all faults of the machine with this alert. */
  boolean isOfComponent(Host host, String alert, Instant now) {
    return !isAny(
        faults(host)
            .filter(fault -> fault.part().alert().equals(alert))
            .filter(fault -> fault.heals() != MachineFault.Healing.COMPONENT_REPAIR),
        host,
        now);
  }

  private boolean isAny(Stream<MachineFault> of, Host host, Instant now) {
    return of.anyMatch(fault -> stands(fault, host, now));
  }

  private boolean stands(MachineFault fault, Host host, Instant now) {
    return began(fault, host).filter(began -> stands(fault, began, host, now)).isPresent();
  }

  private Stream<MachineFault> faults(Host host) {
    return faults.stream().filter(fault -> fault.isOf(host.id().name()));
  }

  /** When the fault begins on this machine, in this tenancy; empty if it does not. */
  private Optional<Instant> began(MachineFault fault, Host host) {
    return switch (fault.begin()) {
      case MachineFault.Begin.At(Instant time) -> Optional.of(time);
      case MachineFault.Begin.After(Duration time) -> up(host).map(since -> since.plus(time));
      case MachineFault.Begin.Chance(Duration mean) ->
          up(host).map(since -> since.plus(drawn(fault, host, mean)));
    };
  }

  /** Since when the machine is up for its tenant. */
  private static Optional<Instant> up(Host host) {
    return Optional.of(host)
        .filter(each -> each.is(HostPhase.RUNNING))
        .map(each -> each.report().since());
  }

  private Duration drawn(MachineFault fault, Host host, Duration mean) {
    double drawn =
        Seeds.exponential(
            seed,
            "fault/%s/%s/%s/%d"
                .formatted(
                    fault.part().alert(),
                    fault.part().component(),
                    host.id().name(),
                    host.tenancy()));
    return Duration.ofMillis((long) (drawn * mean.toMillis()));
  }

  private static boolean stands(MachineFault fault, Instant began, Host host, Instant now) {
    if (now.isBefore(began) || isHealed(fault, began, host)) {
      return false;
    }
    Optional<Duration> lasts = fault.course().lasts();
    return lasts.isEmpty() || now.isBefore(since(fault, began, now).plus(lasts.get()));
  }

  /** The begin of the fault's present period. */
  private static Instant since(MachineFault fault, Instant began, Instant now) {
    return fault
        .course()
        .every()
        .map(every -> {
          long periods = Duration.between(began, now).dividedBy(every);
          return began.plus(every.multipliedBy(periods));
        })
        .orElse(began);
  }

  private static boolean isHealed(MachineFault fault, Instant began, Host host) {
    boolean replaced =
        host.assignment()
            .map(Assignment::at)
            .or(() -> Optional.of(host.report().since()).filter(_ -> host.is(HostPhase.FREE)))
            .filter(began::isBefore)
            .isPresent();
    boolean byItself =
        host.report().boot().at().filter(at -> !at.isBefore(began)).isPresent()
            && fault.heals() == MachineFault.Healing.REBOOT;
    boolean repaired =
        fault.heals() == MachineFault.Healing.COMPONENT_REPAIR
            && host.report().repairs().stream()
                .filter(each -> each.alert().equals(fault.part().alert()))
                .anyMatch(each -> each.succeeded() && !each.at().isBefore(began));
    return replaced
        || byItself
        || repaired
        || boots(host)
            .filter(boot -> !boot.at().isBefore(began))
            .anyMatch(boot -> fault.heals().isDoneBy(boot.kind()));
  }

  private record PastBoot(BootKind kind, Instant at) {}

  /** The boots that were requested and carried out, oldest first, as far as they are recorded. */
  private static Stream<PastBoot> boots(Host host) {
    return host.boot().stream()
        .flatMap(request ->
            Stream.concat(
                request.history().stream()
                    .filter(past -> past.outcome() != BootRequest.Outcome.NOT_BOOTED)
                    .map(past -> new PastBoot(past.kind(), past.at())),
                Stream.of(request)
                    .filter(each -> host.report().boot().at().isPresent())
                    .filter(each -> !each.from().equals(host.report().bootId()))
                    .filter(each -> host.report().boot().cycle().isEmpty())
                    .map(each -> new PastBoot(each.kind(), each.at()))))
        .filter(boot -> boot.kind().boots())
        .filter(
            boot -> host.assignment().filter(held -> !boot.at().isBefore(held.at())).isPresent());
  }

  /** A reset of the host alone may leave routes on its DPU, until the DPU is reset (seed 000). */
  private Optional<Signal> afterResets(Host host) {
    Optional<Instant> punted = Optional.empty();
    for (PastBoot boot : boots(host).toList()) {
      if (MachineFault.Healing.HOST_AND_DPU_RESET.isDoneBy(boot.kind())) {
        punted = Optional.empty();
      } else if (boot.kind() == BootKind.HOST_RESET && leavesRoutes(host, boot)) {
        punted = Optional.of(boot.at());
      }
    }
    return punted.map(at ->
        signal(new MachineFault.Part(PUNTED_ROUTES, "dpu0"), "reset of the host alone", at, host));
  }

  private boolean leavesRoutes(Host host, PastBoot boot) {
    return Seeds.fraction(seed, "punted/%s/%s".formatted(host.id().name(), boot.at())) * 100
        < puntedRoutesPercent;
  }

  /**
   * A verification that failed by chance or by script names its test, until the machine boots or is
   * verified again. A verification that found a fault adds no signal.
   */
  private Optional<Signal> ofVerification(Host host) {
    return host.report()
        .boot()
        .verification()
        .filter(last -> !last.passed() && last.bootId().equals(host.report().bootId()))
        .flatMap(last ->
            Stream.of(NV_FABRIC, DEADLOCK)
                .filter(test -> last.message().contains(test))
                .findFirst()
                .map(test ->
                    signal(
                        new MachineFault.Part(test, SignalKey.HOST),
                        "verification that failed",
                        last.at(),
                        host)));
  }

  /** Why a verification fails: the alert of the fault that it finds, or of its test. */
  String failedTest(Host host, BootRequest request, Instant now) {
    return faultFound(host, request, now)
        .orElseGet(() -> {
          boolean fabric =
              Seeds.fraction(seed, "test/%s/%s".formatted(host.id().name(), request.operation()))
                  < 0.5;
          return fabric ? NV_FABRIC : DEADLOCK;
        });
  }

  /** The alert of a fault that a verification without a boot finds; empty after a boot. */
  Optional<String> faultFound(Host host, BootRequest request, Instant now) {
    return faults(host)
        .filter(_ -> !request.kind().boots())
        .filter(fault -> stands(fault, host, now))
        .map(fault -> fault.part().alert())
        .findFirst();
  }

  /** The signal of a fault; a fault that a boot did not heal counts from that boot. */
  private static Signal signal(MachineFault.Part part, String what, Instant began, Host host) {
    boolean runs = host.is(HostPhase.RUNNING);
    Instant boot =
        host.report().boot().at().or(() -> Optional.of(host.report().since())).orElse(began);
    return new Signal(
        new SignalKey(SourceName.FLEET, part.component(), part.alert()),
        runs && began.isBefore(boot) ? boot : began,
        Optional.empty(),
        host.report().bootId(),
        "",
        "%s %s.".formatted(OURS, what),
        Optional.empty());
  }

  private Optional<Instant> changesAt(Host host, Instant now) {
    return faults(host)
        .flatMap(fault ->
            began(fault, host).stream()
                .filter(began -> !isHealed(fault, began, host))
                .flatMap(began -> edges(fault, began, now)))
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }

  private static Stream<Instant> edges(MachineFault fault, Instant began, Instant now) {
    MachineFault.Course course = fault.course();
    Instant present = now.isBefore(began) ? began : since(fault, began, now);
    return Stream.of(
            Optional.of(began),
            course.lasts().map(present::plus),
            course.every().map(present::plus),
            course.leadsTo().map(_ -> began.plus(course.leadsToAfter())))
        .flatMap(Optional::stream);
  }
}
