package io.nodepool.ironic;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.configuration.ConfigurationContents;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.UserText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The next step of a machine of Ironic, given its Host, its node and its Node as last observed.
 * Pure: all work that began is recorded on these, so a fleet that ends between two requests
 * continues where it stopped. A status is written before the request that follows from it.
 */
public final class IronicMachine {
  /** The kinds of boot that are carried out. */
  public static final SortedSet<BootKind> BOOTS =
      new TreeSet<>(List.of(BootKind.REBOOT, BootKind.POWER_RESET));

  /** The alert that is active while Ironic cannot reach the machine's BMC. */
  static final SignalKey BMC_LOST =
      new SignalKey(SourceName.FLEET, SignalKey.HOST, "MetalDevRedfishError");

  /** How often an unchanged reading of the power is written. */
  static final Duration POWER_WRITTEN = Duration.ofMinutes(10);

  /**
   * How old Ironic's own reading may be, with the settings that the fleet requires: Ironic reads no
   * BMC again before each BMC has answered, or was given up.
   */
  static final Duration READING = Duration.ofMinutes(5);

  /** How long Ironic may be silent about a delivery; the operator waits for 60 minutes. */
  static final Duration DELIVERY = Duration.ofMinutes(50);

  /** How long cleaning may take. */
  static final Duration CLEANING = Duration.ofHours(24);

  /** How long a failed machine must be in order before it is free again. */
  static final Duration STABLE = Duration.ofMinutes(2);

  /** How old a reading of the node may be when a request is sent. */
  static final Duration FRESH = Duration.ofMinutes(1);

  private static final EngineStep WAIT = new EngineStep.Wait();
  private static final String NEVER = "never";

  private final Host host;
  private final IronicNode node;
  private final Optional<MachineKubelet> kubelet;
  private final FleetOffer offer;
  private final Instant now;
  private final Host.Report observed;

  private IronicMachine(
      Host host, IronicNode node, Optional<MachineKubelet> kubelet, FleetOffer offer, Instant now) {
    this.host = host;
    this.node = node;
    this.kubelet = kubelet;
    this.offer = offer;
    this.now = now;
    this.observed =
        host.report()
            .withPower(Optional.of(power()))
            .withMaintenance(node.isWithItsOwner())
            .withSignals(signals());
  }

  /** The next step of a machine. */
  public static EngineStep next(
      Host host, IronicNode node, Optional<MachineKubelet> kubelet, FleetOffer offer, Instant now) {
    IronicMachine machine = new IronicMachine(host, node, kubelet, offer, now);
    return host.assignment().isEmpty() ? machine.unassigned() : machine.assigned();
  }

  /** The next step of a machine whose node is no longer in Ironic. */
  public static EngineStep gone(Host host, Instant now) {
    if (host.assignment().isEmpty()) {
      return new EngineStep.DeleteHost();
    }
    if (host.is(HostPhase.FAILED)) {
      return WAIT;
    }
    Host.PowerReading unknown =
        new Host.PowerReading(
            Host.PowerReading.State.UNKNOWN,
            host.report().power().map(Host.PowerReading::checkedAt).orElse(Instant.EPOCH));
    return new EngineStep.Report(
        host.report()
            .withPower(Optional.of(unknown))
            .inPhase(HostPhase.FAILED, host.tenancy(), host.report().boot().ended(), now)
            .withMessage(
                "Its node is no longer in Ironic, so nobody knows whether the machine runs."));
  }

  // The observed state of the machine, in any phase.

  private Host.PowerReading power() {
    Optional<Host.PowerReading> last = host.report().power();
    Instant lastRead = last.map(Host.PowerReading::checkedAt).orElse(Instant.EPOCH);
    if (node.hasLostBmc() || !(node.isOn() || node.isOff())) {
      return new Host.PowerReading(Host.PowerReading.State.UNKNOWN, lastRead);
    }
    Host.PowerReading.State state =
        node.isOn() ? Host.PowerReading.State.ON : Host.PowerReading.State.OFF;
    if (!node.isPowerRead()) {
      return new Host.PowerReading(state, lastRead);
    }
    if (last.filter(each -> each.state() == state).isEmpty()) {
      return new Host.PowerReading(state, node.seenAt());
    }
    Instant read = node.seenAt().minus(READING);
    return read.isBefore(lastRead.plus(POWER_WRITTEN))
        ? last.get()
        : new Host.PowerReading(state, read);
  }

  private List<Signal> signals() {
    List<Signal> last = host.report().signals();
    boolean stands = last.stream().anyMatch(each -> each.key().equals(BMC_LOST));
    if (stands == node.hasLostBmc()) {
      return last;
    }
    return node.hasLostBmc()
        ? Stream.concat(
                last.stream(),
                Stream.of(
                    Signal.standing(BMC_LOST, now)
                        .withMessage(
                            UserText.shortened(
                                UserText.printable(node.obstacles().reason()),
                                Signal.LONGEST_MESSAGE))))
            .toList()
        : last.stream().filter(each -> !each.key().equals(BMC_LOST)).toList();
  }

  // Each decision stays in the phase or enters another one.

  /** Stays in the phase: reports the message, and takes the step once that is written. */
  private EngineStep stay(String message, EngineStep then) {
    Host.Report wanted = observed.withMessage(printable(message));
    return wanted.equals(host.report()) ? then : new EngineStep.Report(wanted);
  }

  private EngineStep stay(String message) {
    return stay(message, WAIT);
  }

  /** Stays in the phase and sends Ironic the request, once the node can take one. */
  private EngineStep ask(EngineRequest request) {
    boolean fresh = !now.isAfter(node.seenAt().plus(FRESH));
    return stay(
        node.isBusy() ? engine() : "",
        fresh && !node.isBusy() ? new EngineStep.Ask(request) : WAIT);
  }

  private EngineStep enter(HostPhase phase, String message) {
    return enter(phase, host.report().boot().ended(), message);
  }

  private EngineStep enter(HostPhase phase, Host.Boot boot, String message) {
    return new EngineStep.Report(
        observed.inPhase(phase, host.tenancy(), boot, now).withMessage(printable(message)));
  }

  private static String printable(String message) {
    return UserText.shortened(UserText.printable(message), UserText.LONGEST_EXPLANATION);
  }

  /** Ironic's state and last error of the node. */
  private String engine() {
    return "Ironic: %s%s."
        .formatted(
            node.state() == ProvisionState.UNKNOWN ? "a state unknown here" : node.state().word(),
            node.lastError().isEmpty() ? "" : "; " + node.lastError());
  }

  private String foreign() {
    return "Ironic's node is held by instance %s, which is no tenancy of this Host."
        .formatted(node.instance());
  }

  // A machine that no pool holds.

  private EngineStep unassigned() {
    return switch (host.report().phase()) {
      case FREE -> free();
      case BOOTING, RUNNING, STOPPED -> enter(HostPhase.CLEANING, "");
      case CLEANING -> cleaning();
      case FAILED -> failed();
    };
  }

  private EngineStep free() {
    if (node.isForeignTo(host)) {
      return enter(HostPhase.FAILED, foreign());
    }
    if (isBroken()) {
      return enter(HostPhase.FAILED, engine());
    }
    boolean untouched =
        node.state() == ProvisionState.AVAILABLE && node.instance().isEmpty() && !node.isOn();
    return untouched ? stay(held()) : enter(HostPhase.CLEANING, engine());
  }

  /** Whether only a person can repair the node. */
  private boolean isBroken() {
    return (node.state().actsNext() == ProvisionState.ActsNext.UNCLEAN
            && !node.isCleaningInterrupted())
        || node.obstacles().fault().equals("clean failure")
        || (node.state() == ProvisionState.DEPLOY_FAILED && node.instance().isEmpty());
  }

  /**
   * Whether Ironic failed to undeploy the node, and lost its instance. Nothing else leads to this
   * state, so the node is undeployed again.
   */
  private boolean isHalfUndeployed() {
    return node.state() == ProvisionState.ERROR && node.instance().isEmpty();
  }

  /** Why nothing may begin on the machine; empty text if it may. */
  private String held() {
    if (node.hasLostBmc()) {
      return "Ironic cannot reach the machine's BMC.";
    }
    if (node.obstacles().maintenance()) {
      return "Ironic's node is in maintenance: " + node.obstacles().reason();
    }
    if (node.obstacles().retired()) {
      return "Ironic's node is retired.";
    }
    if (node.state().actsNext() == ProvisionState.ActsNext.OWNER && !node.isToBeCleaned()) {
      return engine();
    }
    return node.obstacles().conducted() ? "" : "No conductor of Ironic is responsible for it.";
  }

  private EngineStep cleaning() {
    if (node.isForeignTo(host)) {
      return enter(HostPhase.FAILED, foreign());
    }
    if (isBroken()) {
      return enter(HostPhase.FAILED, engine());
    }
    if (node.isClean()) {
      return nowFree();
    }
    // Failed for a while, then tried again: perhaps the machine's BMC does not answer.
    if (node.state() == ProvisionState.ERROR && now.isAfter(host.report().since().plus(STABLE))) {
      return enter(HostPhase.FAILED, engine());
    }
    if (now.isAfter(host.report().since().plus(CLEANING))) {
      return enter(HostPhase.FAILED, "It is not clean after 24 hours. " + engine());
    }
    return giveBack();
  }

  /** The machine is free, once its note no longer records the repeated cleaning. */
  private EngineStep nowFree() {
    return node.note().isCleanedAgain()
        ? ask(new EngineRequest.Mark(node.note().cleanedAgain(false)))
        : enter(HostPhase.FREE, "");
  }

  /** The next request for a node whose cleaning its conductor did not finish. */
  private Optional<EngineStep> cleanedAgain() {
    if (!held().isEmpty()) {
      return Optional.empty();
    }
    if (node.isToBeCleaned()) {
      return Optional.of(ask(new EngineRequest.Provide()));
    }
    return Optional.of(node)
        .filter(IronicNode::isCleaningInterrupted)
        .map(each ->
            each.note().isCleanedAgain()
                ? new EngineRequest.Manage()
                : new EngineRequest.Mark(each.note().cleanedAgain(true)))
        .map(this::ask);
  }

  /** The next request to clean an unassigned node. */
  private EngineStep giveBack() {
    if (!held().isEmpty()) {
      return stay(held());
    }
    Optional<EngineStep> again = cleanedAgain();
    if (again.isPresent()) {
      return again.get();
    }
    if (isHalfUndeployed()) {
      return ask(new EngineRequest.Undeploy());
    }
    if (node.isOf(host)) {
      return node.state() == ProvisionState.AVAILABLE
          ? ask(new EngineRequest.Unclaim())
          : node.state().canBeUndeployed() ? ask(new EngineRequest.Undeploy()) : stay(engine());
    }
    return node.state() == ProvisionState.AVAILABLE && node.isOn()
        ? ask(new EngineRequest.SetPower(EngineRequest.Target.OFF))
        : stay(engine());
  }

  /** A failed machine is free again by itself once it was in order for a while. */
  private EngineStep failed() {
    if (node.isClean()) {
      return now.isAfter(host.report().since().plus(STABLE))
          ? nowFree()
          : stay(host.report().message());
    }
    if (node.isForeignTo(host) || isBroken()) {
      return stay(node.isForeignTo(host) ? foreign() : kept());
    }
    if (node.state() != ProvisionState.ERROR) {
      return giveBack();
    }
    return now.isAfter(host.report().since().plus(STABLE)) && held().isEmpty()
        ? enter(HostPhase.CLEANING, engine())
        : stay(kept());
  }

  // A machine that a pool holds.

  private EngineStep assigned() {
    if (host.power() == Host.Power.OFF) {
      return off();
    }
    return switch (host.report().phase()) {
      case FREE -> begin();
      case BOOTING -> booting();
      case RUNNING -> running();
      case STOPPED -> stopped();
      case FAILED -> quiet();
      case CLEANING -> stay(host.report().message());
    };
  }

  /** Reports Booting before the first request to Ironic. */
  private EngineStep begin() {
    if (node.isForeignTo(host)) {
      return enter(HostPhase.FAILED, foreign());
    }
    if (isBroken() || node.state().actsNext() == ProvisionState.ActsNext.BROKEN) {
      return enter(HostPhase.FAILED, engine());
    }
    if (source(host.configuration()).isEmpty()) {
      return stay(imageless());
    }
    return held().isEmpty() && node.isClean() && !now.isAfter(node.seenAt().plus(FRESH))
        ? enter(HostPhase.BOOTING, "")
        : stay(held().isEmpty() ? engine() : held());
  }

  private String imageless() {
    return "The offer names no image for configuration %s.".formatted(host.configuration());
  }

  private EngineStep booting() {
    if (node.isForeignTo(host)) {
      return enter(HostPhase.FAILED, foreign());
    }
    if (node.isInterrupted() && node.isOf(host)) {
      return held().isEmpty() ? ask(new EngineRequest.Undeploy()) : stay(held());
    }
    if (isBroken() || node.state().actsNext() == ProvisionState.ActsNext.BROKEN) {
      String before = node.lastError().isEmpty() ? host.report().message() : "";
      return enter(HostPhase.FAILED, engine() + (before.isEmpty() ? "" : " Before: " + before));
    }
    if (now.isAfter(host.report().since().plus(DELIVERY))) {
      return enter(HostPhase.FAILED, "It is not delivered after 50 minutes. " + engine());
    }
    if (!held().isEmpty()) {
      return stay(held());
    }
    Optional<EngineStep> again = cleanedAgain();
    if (again.isPresent()) {
      return again.get();
    }
    return switch (node.state()) {
      case AVAILABLE -> deploy(host.configuration(), "");
      case ACTIVE -> node.isOf(host) ? active() : enter(HostPhase.FAILED, engine());
      default -> stay(kept());
    };
  }

  /** Ironic's message in this state, now or before: Ironic shows an error for seconds only. */
  private String kept() {
    String last = host.report().message();
    boolean more = node.lastError().isEmpty() && last.contains(node.state().word() + "; ");
    return more ? last : engine();
  }

  private EngineStep active() {
    if (node.isOn()) {
      return node.isBusy()
          ? stay(engine())
          : enter(
              HostPhase.RUNNING, host.report().boot().first("", node.note().configuration()), "");
    }
    return ask(new EngineRequest.SetPower(EngineRequest.Target.ON));
  }

  /** Claims the node for a configuration, then has it deployed. */
  private EngineStep deploy(String configuration, String boot) {
    Optional<FleetRelease.Image.Source> source = source(configuration);
    if (source.isEmpty()) {
      return stay(imageless());
    }
    IronicNode.Note note = note(configuration, boot, "");
    return node.isOf(host) && node.note().equals(note)
        ? ask(new EngineRequest.Deploy(configuration, source.get()))
        : ask(new EngineRequest.ClaimNode(IronicNode.instanceOf(host), source.get(), note));
  }

  private IronicNode.Note note(String configuration, String boot, String before) {
    return new IronicNode.Note(host.id().name(), host.tenancy(), configuration, boot, before);
  }

  /** The source of a configuration's image; empty if the offer names none. */
  private Optional<FleetRelease.Image.Source> source(String configuration) {
    return ConfigurationContents.of(configuration)
        .flatMap(contents ->
            offer.releases().stream()
                .filter(release -> release.offers(configuration))
                .flatMap(release ->
                    release instanceof FleetRelease.Parts parts
                        ? parts.images().stream()
                        : Stream.empty())
                .filter(image -> image.name().equals(contents.image()))
                .map(FleetRelease.Image::source)
                .filter(source -> !source.image().isEmpty())
                .reduce((_, later) -> later));
  }

  private EngineStep running() {
    Optional<Host.Cycle> cycle =
        host.report().boot().cycle().filter(each -> each.from().equals(host.report().bootId()));
    boolean redeployed = cycle.isPresent() && node.instance().isEmpty();
    if (!node.isOf(host) && !redeployed) {
      return enter(
          HostPhase.FAILED,
          node.instance().isEmpty()
              ? "Its instance was ended in Ironic by someone else. " + engine()
              : foreign());
    }
    // If its conductor failed to undeploy a node, or ended while deploying it, it is undeployed.
    boolean again =
        cycle.isPresent() && (node.state() == ProvisionState.ERROR || node.isInterrupted());
    if (isBroken() || (node.state().actsNext() == ProvisionState.ActsNext.BROKEN && !again)) {
      return enter(HostPhase.FAILED, engine());
    }
    return asked(cycle)
        .map(this::beginBoot)
        .or(() -> cycle.map(this::goOn))
        .orElseGet(this::serving);
  }

  /** The try that was requested and has not begun. */
  private Optional<Integer> asked(Optional<Host.Cycle> cycle) {
    return host.boot()
        .filter(request -> host.isRebooting() && BOOTS.contains(request.kind()))
        .filter(request -> cycle.filter(each -> each.attempt() == request.attempt()).isEmpty())
        .map(request -> request.attempt());
  }

  private EngineStep beginBoot(int attempt) {
    if (!held().isEmpty() || !node.isPowerRead() || node.state() != ProvisionState.ACTIVE) {
      return stay(held().isEmpty() ? engine() : held());
    }
    Host.Boot boot = host.report().boot();
    return new EngineStep.Report(
        observed
            .withMessage("")
            .withBoot(
                boot.withCycles(boot.cycles() + 1)
                    .withCycle(
                        Optional.of(
                            new Host.Cycle(boot.id(), attempt, now, host.configuration(), "")))));
  }

  /** Continues a boot: its stage shows in the node's state, its claim or its note. */
  private EngineStep goOn(Host.Cycle cycle) {
    if (isBootedFor(cycle)) {
      return booted();
    }
    if (!held().isEmpty()) {
      return stay(held());
    }
    Optional<EngineStep> again = cleanedAgain();
    if (again.isPresent()) {
      return again.get();
    }
    String key = cycle.from() + "/" + cycle.attempt();
    boolean installed =
        node.isOf(host) && node.note().configuration().equals(cycle.configuration());
    boolean marked = node.isOf(host) && node.note().boot().equals(key);
    return switch (node.state()) {
      case AVAILABLE -> deploy(cycle.configuration(), key);
      case ACTIVE ->
          !installed
              ? ask(new EngineRequest.Undeploy())
              : marked
                  ? cycled()
                  : ask(new EngineRequest.Mark(note(cycle.configuration(), key, lastAction())));
      case ERROR, DEPLOY_FAILED -> ask(new EngineRequest.Undeploy());
      default -> stay(engine());
    };
  }

  private String lastAction() {
    return node.power().lastAction().isEmpty() ? NEVER : node.power().lastAction();
  }

  private EngineStep cycled() {
    if (node.note().before().equals(lastAction())) {
      boolean soft =
          node.isOn() && host.boot().filter(each -> each.kind() == BootKind.REBOOT).isPresent();
      return ask(
          new EngineRequest.SetPower(
              soft ? EngineRequest.Target.SOFT_REBOOT : EngineRequest.Target.REBOOT));
    }
    return node.isOff()
        ? ask(new EngineRequest.SetPower(EngineRequest.Target.ON))
        : stay(node.lastError().isEmpty() ? "" : engine());
  }

  private boolean isBootedFor(Host.Cycle cycle) {
    return node.state() == ProvisionState.ACTIVE
        && node.isOf(host)
        && node.isOn()
        && !node.isBusy()
        && node.note().configuration().equals(cycle.configuration())
        && newBoot().isPresent();
  }

  /** The kubelet of this tenancy that reports another boot than the Host. */
  private Optional<MachineKubelet> newBoot() {
    return kubelet
        .filter(
            each -> each.isOf(host) || (each.isUnidentified() && host.report().bootId().isEmpty()))
        .filter(each -> each.reportsFrom(node))
        .filter(each -> !each.bootId().equals(host.report().bootId()));
  }

  private EngineStep booted() {
    Host.Boot last = host.report().boot();
    String id = newBoot().orElseThrow().bootId();
    Host.Boot next =
        new Host.Boot(
            id,
            node.note().configuration(),
            last.id().isEmpty() && last.cycle().isEmpty() ? Optional.empty() : Optional.of(now),
            last.cycles(),
            Optional.empty(),
            last.verification());
    return new EngineStep.Report(observed.withMessage("").withBoot(next));
  }

  /** A machine without a boot in progress. */
  private EngineStep serving() {
    if (node.isOff() && node.isPowerRead() && !node.isBusy()) {
      return enter(HostPhase.STOPPED, "The machine was powered off, and not by its pool.");
    }
    if (node.state() == ProvisionState.ACTIVE && newBoot().isPresent()) {
      return booted();
    }
    return stay(held().isEmpty() ? unoffered() : held(), join());
  }

  private String unoffered() {
    return host.boot()
        .filter(request -> host.isRebooting() && !BOOTS.contains(request.kind()))
        .map(
            request -> "A boot of the kind %s is not carried out.".formatted(request.kind().word()))
        .orElse("");
  }

  private EngineStep join() {
    if (kubelet.isEmpty()) {
      return new EngineStep.Join();
    }
    return kubelet
        .filter(each -> each.isUnidentified() && each.reportsFrom(node))
        .filter(each -> each.bootId().equals(host.report().bootId()))
        .<EngineStep>map(EngineStep.Identify::new)
        .orElse(WAIT);
  }

  /** The machine stopped by itself; if it comes back, it serves its pool again. */
  private EngineStep stopped() {
    if (!node.isOf(host)) {
      return enter(HostPhase.FAILED, "Its instance was ended in Ironic by someone else.");
    }
    return node.state() == ProvisionState.ACTIVE && node.isOn() && node.isPowerRead()
        ? enter(HostPhase.RUNNING, host.report().boot().first("", node.note().configuration()), "")
        : stay(host.report().message());
  }

  /** Powers off a failed machine, if it is still the fleet's. */
  private EngineStep quiet() {
    boolean ours = (node.isOf(host) && node.state().canBeUndeployed()) || isHalfUndeployed();
    return ours && node.isOn() && node.isPowerRead() && held().isEmpty()
        ? askQuietly(new EngineRequest.SetPower(EngineRequest.Target.OFF))
        : stay(host.report().message());
  }

  private EngineStep askQuietly(EngineRequest request) {
    return stay(host.report().message(), node.isBusy() ? WAIT : new EngineStep.Ask(request));
  }

  /** Its pool wants it off: first ends a deployment, which would power it on again. */
  private EngineStep off() {
    if (host.is(HostPhase.FAILED)) {
      return quiet();
    }
    if (node.isForeignTo(host)) {
      return enter(HostPhase.FAILED, foreign());
    }
    boolean installing =
        node.state().actsNext() == ProvisionState.ActsNext.ENGINE
            || node.state().actsNext() == ProvisionState.ActsNext.MACHINE;
    if (!installing && node.isOff() && node.isPowerRead() && node.power().target().isEmpty()) {
      return host.is(HostPhase.STOPPED) ? stay("") : enter(HostPhase.STOPPED, "");
    }
    if (!held().isEmpty()) {
      return stay(held());
    }
    if (installing) {
      return node.state().canBeUndeployed() ? ask(new EngineRequest.Undeploy()) : stay(engine());
    }
    return node.isOn() && (node.isOf(host) || node.instance().isEmpty())
        ? ask(new EngineRequest.SetPower(EngineRequest.Target.OFF))
        : stay(engine());
  }
}
