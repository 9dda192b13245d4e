package io.nodepool.ironic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table of docs/ironic.md: what follows from each state of a node in each phase. */
class IronicMachineTest {
  private final EngineModel model = new EngineModel();

  /** Brings the Host into a phase with tenancy 1, as the fleet writes it. */
  private void phase(HostPhase phase, boolean assigned) {
    model.assign(EngineModel.FIRST);
    if (!assigned) {
      model.release();
    }
    model.host =
        model.host.withReport(
            model.host.report().inPhase(phase, 1, model.host.report().boot(), model.now));
  }

  private void node(ProvisionState state, String power, boolean claimed) {
    IronicNode.Note note = new IronicNode.Note("metal-01", 1, EngineModel.FIRST, "", "");
    model.node = EngineModel.node(state, power, "");
    model.node =
        model.with(
            state,
            model.node.power(),
            claimed ? IronicNode.instanceOf(model.host) : "",
            claimed ? note : IronicNode.Note.NONE);
  }

  private void condition(IronicNode.Obstacles condition) {
    IronicNode node = model.node;
    model.node =
        new IronicNode(
            node.uuid(),
            node.name(),
            node.kind(),
            node.state(),
            node.power(),
            condition,
            node.instance(),
            node.lastError(),
            node.note(),
            node.extra(),
            node.seenAt());
  }

  /** What happens next, in words: a phase, a request, or what is waited for. */
  private String next() {
    EngineStep step = model.next();
    for (int i = 0; i < 3 && step instanceof EngineStep.Report(Host.Report report); i++) {
      if (report.phase() != model.host.report().phase()) {
        return report.phase().word();
      }
      model.apply(step, model.host.version());
      step = model.next();
    }
    return switch (step) {
      case EngineStep.Wait _ -> "wait";
      case EngineStep.Ask(EngineRequest request) ->
          request instanceof EngineRequest.SetPower(EngineRequest.Target target)
              ? target.word()
              : request.getClass().getSimpleName();
      default -> step.getClass().getSimpleName();
    };
  }

  @ParameterizedTest
  @CsvSource({
    // phase, assigned, power wanted, state, power, claimed, next
    "FREE,     false, ON,  available,      power off, false, wait",
    "FREE,     false, ON,  available,      power on,  false, Cleaning",
    "FREE,     false, ON,  available,      power off, true,  Cleaning",
    "FREE,     false, ON,  manageable,     power off, false, Cleaning",
    "FREE,     false, ON,  cleaning,       power on,  false, Cleaning",
    "FREE,     false, ON,  clean failed,   power off, false, Failed",
    "FREE,     false, ON,  error,          power off, false, Cleaning",
    "FREE,     false, ON,  deploy failed,  power off, false, Failed",
    "FREE,     true,  ON,  error,          power off, false, Failed",
    "FREE,     true,  ON,  available,      power off, false, Booting",
    "FREE,     true,  ON,  manageable,     power off, false, wait",
    "FREE,     true,  ON,  clean failed,   power off, false, Failed",
    "FREE,     true,  OFF, available,      power off, false, Stopped",
    "BOOTING,  false, ON,  deploying,      power off, true,  Cleaning",
    "BOOTING,  true,  ON,  available,      power off, false, ClaimNode",
    "BOOTING,  true,  ON,  available,      power off, true,  Deploy",
    "BOOTING,  true,  ON,  deploying,      power off, true,  wait",
    "BOOTING,  true,  ON,  wait call-back, power on,  true,  wait",
    "BOOTING,  true,  ON,  deploy hold,    power on,  true,  wait",
    "BOOTING,  true,  ON,  deploy failed,  power off, true,  Failed",
    "BOOTING,  true,  ON,  error,          power off, true,  Failed",
    "BOOTING,  true,  ON,  active,         power on,  true,  Running",
    "BOOTING,  true,  ON,  active,         power off, true,  power on",
    "BOOTING,  true,  ON,  active,         power on,  false, Failed",
    "BOOTING,  true,  ON,  cleaning,       power on,  false, wait",
    "BOOTING,  true,  ON,  clean failed,   power on,  false, Failed",
    "BOOTING,  true,  OFF, available,      power off, true,  Stopped",
    "BOOTING,  true,  OFF, deploying,      power on,  true,  wait",
    "BOOTING,  true,  OFF, wait call-back, power on,  true,  Undeploy",
    "BOOTING,  true,  OFF, deploy hold,    power on,  true,  Undeploy",
    "BOOTING,  true,  OFF, deploy failed,  power on,  true,  power off",
    "BOOTING,  true,  OFF, deploy failed,  power off, true,  Stopped",
    "BOOTING,  true,  OFF, active,         power on,  true,  power off",
    "RUNNING,  true,  ON,  active,         power on,  true,  Join",
    "RUNNING,  true,  ON,  active,         power off, true,  Stopped",
    "RUNNING,  true,  ON,  error,          power on,  true,  Failed",
    "RUNNING,  true,  ON,  available,      power off, false, Failed",
    "RUNNING,  true,  ON,  rescue,         power on,  true,  Join",
    "RUNNING,  true,  OFF, active,         power on,  true,  power off",
    "RUNNING,  true,  OFF, active,         power off, true,  Stopped",
    "RUNNING,  true,  OFF, rescue,         power on,  true,  wait",
    "RUNNING,  false, ON,  active,         power on,  true,  Cleaning",
    "STOPPED,  true,  ON,  active,         power off, true,  wait",
    "STOPPED,  true,  ON,  active,         power on,  true,  Running",
    "STOPPED,  true,  ON,  available,      power off, false, Failed",
    "STOPPED,  true,  OFF, active,         power off, true,  wait",
    "STOPPED,  true,  OFF, active,         power on,  true,  power off",
    "STOPPED,  false, ON,  active,         power off, true,  Cleaning",
    "CLEANING, false, ON,  active,         power off, true,  Undeploy",
    "CLEANING, false, ON,  deploying,      power on,  true,  wait",
    "CLEANING, false, ON,  wait call-back, power on,  true,  Undeploy",
    "CLEANING, false, ON,  deploy failed,  power on,  true,  Undeploy",
    "CLEANING, false, ON,  error,          power on,  true,  Undeploy",
    "CLEANING, false, ON,  error,          power on,  false, Undeploy",
    "CLEANING, false, ON,  deploy failed,  power on,  false, Failed",
    "CLEANING, false, ON,  deleting,       power on,  true,  wait",
    "CLEANING, false, ON,  cleaning,       power on,  false, wait",
    "CLEANING, false, ON,  clean wait,     power on,  false, wait",
    "CLEANING, false, ON,  clean hold,     power on,  false, wait",
    "CLEANING, false, ON,  clean failed,   power off, false, Failed",
    "CLEANING, false, ON,  available,      power off, true,  Unclaim",
    "CLEANING, false, ON,  available,      power on,  false, power off",
    "CLEANING, false, ON,  available,      power off, false, Free",
    "CLEANING, false, ON,  manageable,     power off, false, wait",
    "FAILED,   true,  ON,  deploy failed,  power on,  true,  power off",
    "FAILED,   true,  ON,  deploy failed,  power off, true,  wait",
    "FAILED,   true,  ON,  error,          power on,  false, power off",
    "FAILED,   true,  OFF, active,         power on,  true,  power off",
    "FAILED,   false, ON,  error,          power off, false, wait",
    "FAILED,   false, ON,  error,          power off, true,  wait",
    "FAILED,   false, ON,  deploy failed,  power off, true,  Undeploy",
    "FAILED,   false, ON,  clean failed,   power off, false, wait",
    "FAILED,   false, ON,  available,      power off, false, wait",
  })
  void whatFollowsFromAStateOfANode(
      HostPhase phase,
      boolean assigned,
      Host.Power wanted,
      String state,
      String power,
      boolean claimed,
      String next) {
    phase(phase, assigned);
    if (wanted == Host.Power.OFF) {
      model.power(Host.Power.OFF);
    }
    node(ProvisionState.of(state), power, claimed);
    assertThat(next()).isEqualTo(next);
  }

  @ParameterizedTest
  @EnumSource(ProvisionState.class)
  void aMachineIsFreeOnlyWhenItIsAvailable(ProvisionState state) {
    phase(HostPhase.CLEANING, false);
    node(state, "power off", false);
    assertThat(next().equals("Free")).isEqualTo(state == ProvisionState.AVAILABLE);
  }

  @ParameterizedTest
  @CsvSource({
    "true,  '',            false, false",
    "true,  power failure, false, false",
    "true,  clean failure, false, false",
    "false, clean failure, false, false",
    "false, '',            true,  false",
    "false, '',            false, true",
  })
  void aMachineWithAFaultOrAnOwnerAtWorkDoesNotBecomeFree(
      boolean maintenance, String fault, boolean retired, boolean locked) {
    phase(HostPhase.CLEANING, false);
    node(ProvisionState.AVAILABLE, "power off", false);
    condition(new IronicNode.Obstacles(maintenance, fault, "why", retired, locked, true));
    assertThat(next()).isNotEqualTo("Free");
  }

  @ParameterizedTest
  @EnumSource(HostPhase.class)
  void aLostBmcIsASignalAndUnknownPowerAndEndsNothing(HostPhase phase) {
    boolean assigned = phase != HostPhase.FREE && phase != HostPhase.CLEANING;
    phase(phase, assigned);
    node(assigned ? ProvisionState.ACTIVE : ProvisionState.AVAILABLE, "power on", assigned);
    model.apply(model.next(), model.host.version());
    HostPhase before = model.host.report().phase();
    condition(new IronicNode.Obstacles(true, "power failure", "no answer", false, false, true));
    for (int i = 0; i < 5; i++) {
      EngineStep step = model.next();
      assertThat(step).isNotInstanceOf(EngineStep.Ask.class);
      model.apply(step, model.host.version());
      model.now = model.now.plusSeconds(10);
    }
    assertThat(model.host.report().phase()).isEqualTo(before);
    assertThat(model.host.report().power().orElseThrow().state())
        .isEqualTo(Host.PowerReading.State.UNKNOWN);
    assertThat(model.host.report().signals()).hasSize(1);
    assertThat(model.host.report().maintenance()).isFalse();
    condition(new IronicNode.Obstacles(false, "", "", false, false, true));
    model.apply(model.next(), model.host.version());
    assertThat(model.host.report().signals()).isEmpty();
  }

  @Test
  void thePowerOfAMachineInMaintenanceGetsOlder() {
    phase(HostPhase.RUNNING, true);
    node(ProvisionState.ACTIVE, "power on", true);
    model.apply(model.next(), model.host.version());
    Instant read = model.host.report().power().orElseThrow().checkedAt();
    condition(new IronicNode.Obstacles(true, "", "a new disk", false, false, true));
    model.now = model.now.plus(Duration.ofHours(1));
    model.apply(model.next(), model.host.version());
    assertThat(model.host.report().maintenance()).isTrue();
    assertThat(model.host.report().message()).contains("a new disk");
    assertThat(model.host.report().power().orElseThrow().checkedAt()).isEqualTo(read);
  }

  @ParameterizedTest
  @CsvSource({
    // maintenance, retired, conducted, state; then what the Host says
    "true,  false, true,  active,    true",
    "false, true,  true,  active,    true",
    "false, false, true,  servicing, true",
    "false, false, true,  new word,  true",
    "false, false, false, active,    false",
  })
  void nothingBeginsWithoutAnOwnersOrConductorsLeave(
      boolean maintenance,
      boolean retired,
      boolean conducted,
      String state,
      boolean shownAsMaintenance) {
    phase(HostPhase.RUNNING, true);
    node(ProvisionState.of(state), "power on", true);
    model.kubelet = Optional.of(new MachineKubelet("node", "1", "uid", "1", "b", "board", false));
    model.occupy(occupancy ->
        occupancy.withBoot(
            Optional.of(
                BootRequest.first("", BootKind.POWER_RESET, "op", model.now, Optional.empty()))));
    condition(new IronicNode.Obstacles(maintenance, "", "why", retired, false, conducted));
    assertThat(next()).isEqualTo("wait");
    assertThat(model.host.is(HostPhase.RUNNING)).isTrue();
    assertThat(model.host.report().boot().cycle()).isEmpty();
    assertThat(model.host.report().maintenance()).isEqualTo(shownAsMaintenance);
    assertThat(model.host.report().message()).isNotEmpty();
  }

  @Test
  void thePowerThatNoConductorReadsGetsOlder() {
    phase(HostPhase.FREE, false);
    node(ProvisionState.AVAILABLE, "power off", false);
    model.apply(model.next(), model.host.version());
    Instant read = model.host.report().power().orElseThrow().checkedAt();
    condition(new IronicNode.Obstacles(false, "", "", false, false, false));
    model.now = model.now.plus(Duration.ofHours(1));
    model.apply(model.next(), model.host.version());
    assertThat(model.host.report().power().orElseThrow().checkedAt()).isEqualTo(read);
    assertThat(model.host.is(HostPhase.FREE)).isTrue();
  }

  @Test
  void anUnchangedPowerIsWrittenEveryTenMinutes() {
    phase(HostPhase.FREE, false);
    node(ProvisionState.AVAILABLE, "power off", false);
    model.apply(model.next(), model.host.version());
    int writes = 0;
    for (int i = 0; i < 360; i++) {
      model.now = model.now.plusSeconds(10);
      EngineStep step = model.next();
      writes += step instanceof EngineStep.Report ? 1 : 0;
      model.apply(step, model.host.version());
    }
    // After the first one it is as old as Ironic's reading may be.
    assertThat(writes).isEqualTo(5);
    assertThat(model.host.report().power().orElseThrow().checkedAt())
        .isBefore(model.now.minus(IronicMachine.READING).plusSeconds(1));
  }

  @Test
  void aNodeThatSomeoneElseHoldsIsNoOnesHost() {
    for (HostPhase phase : HostPhase.values()) {
      boolean assigned = phase != HostPhase.FREE && phase != HostPhase.CLEANING;
      phase(phase, assigned);
      node(ProvisionState.ACTIVE, "power on", false);
      model.node =
          model.with(ProvisionState.ACTIVE, model.node.power(), "other", IronicNode.Note.NONE);
      assertThat(next()).as(phase.word()).isEqualTo(phase == HostPhase.FAILED ? "wait" : "Failed");
    }
  }

  @Test
  void aKindOfBootThatIsNotOfferedIsIgnoredAndNamed() {
    phase(HostPhase.RUNNING, true);
    node(ProvisionState.ACTIVE, "power on", true);
    model.occupy(occupancy ->
        occupancy.withBoot(
            Optional.of(
                BootRequest.first("", BootKind.HOST_RESET, "op", model.now, Optional.empty()))));
    assertThat(next()).isEqualTo("Join");
    assertThat(model.host.report().message()).contains("HostReset");
    assertThat(model.host.report().boot().cycle()).isEmpty();
  }

  @Test
  void aDeliveryOfWhichIronicSaysNothingEnds() {
    phase(HostPhase.BOOTING, true);
    node(ProvisionState.WAIT_CALL_BACK, "power on", true);
    assertThat(next()).isEqualTo("wait");
    model.now = model.now.plus(IronicMachine.DELIVERY).plusSeconds(1);
    assertThat(next()).isEqualTo("Failed");
  }

  @Test
  void nothingIsAskedFromAnOldReading() {
    phase(HostPhase.BOOTING, true);
    node(ProvisionState.AVAILABLE, "power off", false);
    IronicNode old = model.seen();
    model.now = model.now.plus(IronicMachine.FRESH).plusSeconds(1);
    EngineStep step =
        IronicMachine.next(model.host, old, Optional.empty(), EngineModel.OFFER, model.now);
    assertThat(step).isNotInstanceOf(EngineStep.Ask.class);
  }

  @Test
  void aNodeIsThePoolsOnceItsKubeletReportsFromTheMachine() {
    phase(HostPhase.RUNNING, true);
    node(ProvisionState.ACTIVE, "power on", true);
    model.kubelet =
        Optional.of(new MachineKubelet("node", "1", "", "", "boot-1", "another", false));
    assertThat(next()).isEqualTo("wait");
    assertThat(model.host.report().bootId()).isEmpty();
    model.kubelet = Optional.of(new MachineKubelet("node", "1", "", "", "boot-1", "BOARD", false));
    assertThat(next()).isEqualTo("Identify");
    assertThat(model.host.report().bootId()).isEqualTo("boot-1");
    model.kubelet =
        Optional.of(new MachineKubelet("node", "1", "uid", "7", "boot-1", "board", false));
    assertThat(next()).isEqualTo("wait");
  }

  @Test
  void aHostWhoseNodeIsGoneIsDeletedOrFailed() {
    phase(HostPhase.FREE, false);
    assertThat(IronicMachine.gone(model.host, model.now)).isInstanceOf(EngineStep.DeleteHost.class);
    phase(HostPhase.RUNNING, true);
    model.apply(IronicMachine.gone(model.host, model.now), model.host.version());
    assertThat(model.host.is(HostPhase.FAILED)).isTrue();
    assertThat(model.host.report().power().orElseThrow().state())
        .isEqualTo(Host.PowerReading.State.UNKNOWN);
    assertThat(IronicMachine.gone(model.host, model.now)).isInstanceOf(EngineStep.Wait.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anUndeploymentThatFailsIsTriedAgainAfterAWhile(boolean claimed) {
    phase(HostPhase.CLEANING, false);
    node(ProvisionState.ERROR, "power on", claimed);
    assertThat(next()).isEqualTo("Undeploy");
    model.now = model.now.plus(IronicMachine.STABLE).plusSeconds(1);
    assertThat(next()).isEqualTo("Failed");
    model.apply(model.next(), model.host.version());
    assertThat(next()).isEqualTo("wait");
    model.now = model.now.plus(IronicMachine.STABLE).plusSeconds(1);
    assertThat(next()).isEqualTo("Cleaning");
    model.apply(model.next(), model.host.version());
    assertThat(next()).isEqualTo("Undeploy");
  }

  @Test
  void whatIronicSaidOfAFailureIsKept() {
    phase(HostPhase.CLEANING, false);
    node(ProvisionState.CLEAN_FAILED, "power off", false);
    model.node = model.node.withLastError("no disk");
    model.apply(model.next(), model.host.version());
    model.node = model.node.withLastError("");
    assertThat(next()).isEqualTo("wait");
    assertThat(model.host.report().message()).isEqualTo("Ironic: clean failed; no disk.");
  }

  @ParameterizedTest
  @CsvSource({
    "turin-gp,  '',                                            turin-gp",
    "turin-gp,  CUSTOM_GD_8XH100IB_I128,                       turin-gp",
    "baremetal, CUSTOM_GD_8XH100IB_I128,                       gd-8xh100ib-i128",
    "baremetal, CUSTOM_GD_8XH100IB_I128 HW_CPU_X86_VMX,        gd-8xh100ib-i128",
    "baremetal, CUSTOM_GD_8XH100IB_I128 CUSTOM_TURIN_GP,       ''",
    "baremetal, CUSTOM_OTHER,                                  ''",
    "'',        '',                                            ''"
  })
  void theTypeOfANodeIsItsResourceClassOrATrait(String resource, String traits, String type) {
    FleetOffer offer =
        new FleetOffer(
            "zone",
            "region",
            "org",
            new TreeSet<>(List.of("turin-gp", "gd-8xh100ib-i128")),
            new TreeSet<>(),
            new TreeMap<>(),
            List.of(),
            FleetOffer.Capabilities.NONE);
    IronicNode.Kind kind = new IronicNode.Kind(resource, new TreeSet<>(List.of(traits.split(" "))));
    assertThat(kind.instanceType(offer).orElse("")).isEqualTo(type);
  }

  @Test
  void theInstanceOfATenancyIsAlwaysTheSame() {
    phase(HostPhase.FREE, true);
    assertThat(IronicNode.instanceOf(model.host)).isEqualTo(IronicNode.instanceOf(model.host));
    String first = IronicNode.instanceOf(model.host);
    model.release();
    assertThat(IronicNode.instanceOf(model.host)).isEqualTo(first);
    model.assign(EngineModel.FIRST);
    assertThat(IronicNode.instanceOf(model.host)).isNotEqualTo(first);
  }
}
