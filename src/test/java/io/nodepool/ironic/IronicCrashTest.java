package io.nodepool.ironic;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.vocabulary.BootKind;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A whole life of a machine, where the fleet ends between any two requests, requests are lost,
 * refused, and repeated late. The fleet has no memory, so its end is a step that is not applied.
 */
class IronicCrashTest {
  private final EngineModel model = new EngineModel();
  private Random chance = new Random(0);
  private EngineStep late = new EngineStep.Wait();
  private long lateVersion;
  private boolean rough;

  private void until(BooleanSupplier condition) {
    for (int i = 0; i < 400 && !condition.getAsBoolean(); i++) {
      step();
      if (chance.nextBoolean()) {
        model.pass();
      }
      assertThat(
              model.host.report().phase() != HostPhase.FREE
                  || model.node.instance().isEmpty()
                  || rough)
          .isTrue();
    }
    assertThat(condition.getAsBoolean())
        .as("%s %s %s", model.host.report(), model.node, model.history)
        .isTrue();
  }

  private void step() {
    EngineStep next = model.next();
    long version = model.host.version();
    switch (rough ? chance.nextInt(5) : 4) {
      // The fleet ended before it sent it.
      case 0 -> {}
      // The status that was decided on an older version is refused.
      case 1 -> {
        if (late instanceof EngineStep.Report) {
          model.apply(late, lateVersion);
        }
        model.apply(next, version);
      }
      default -> model.apply(next, version);
    }
    late = next;
    lateVersion = version;
  }

  private void settle() {
    until(() -> model.next() instanceof EngineStep.Wait && !model.node.isBusy());
  }

  @Test
  void aMachineIsDeliveredRebootedInstalledAnewAndReturned() {
    live();
    assertThat(model.history)
        .containsExactly(
            "deploy " + EngineModel.FIRST,
            "rebooting",
            "undeploy",
            "deploy " + EngineModel.SECOND,
            "power off",
            "undeploy");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void thatAFleetEndsBetweenAnyTwoRequestsChangesNothing(int seed) {
    chance = new Random(seed);
    rough = true;
    live();
    assertThat(model.history)
        .containsExactly(
            "deploy " + EngineModel.FIRST,
            "rebooting",
            "undeploy",
            "deploy " + EngineModel.SECOND,
            "power off",
            "undeploy");
  }

  private void live() {
    settle();
    model.assign(EngineModel.FIRST);
    until(() -> model.host.is(HostPhase.RUNNING) && !model.host.report().bootId().isEmpty());
    settle();
    assertThat(model.kubelet.orElseThrow().tenancy()).isEqualTo("1");
    reboot(EngineModel.FIRST, "first");
    assertThat(model.host.report().boot().cycles()).isEqualTo(1);
    reboot(EngineModel.SECOND, "second");
    assertThat(model.host.report().boot().cycles()).isEqualTo(2);
    assertThat(model.host.report().bootedConfiguration()).isEqualTo(EngineModel.SECOND);
    model.power(Host.Power.OFF);
    until(() -> model.host.isOff(model.now));
    assertThat(model.node.isOff()).isTrue();
    model.release();
    until(() -> model.host.report().phase() == HostPhase.FREE);
    assertThat(model.node.isClean()).isTrue();
  }

  private void reboot(String configuration, String operation) {
    String from = model.host.report().bootId();
    BootRequest request =
        BootRequest.first(from, BootKind.POWER_RESET, operation, model.now, Optional.empty());
    model.occupy(
        occupancy -> occupancy.withConfiguration(configuration).withBoot(Optional.of(request)));
    until(() ->
        !model.host.report().bootId().equals(from) && model.host.report().boot().cycle().isEmpty());
    settle();
  }

  @Test
  void aCancelledDeliveryIsUndeployedBeforeTheMachineIsFree() {
    for (int steps = 0; steps < 12; steps++) {
      EngineModel fresh = new EngineModel();
      fresh.assign(EngineModel.FIRST);
      for (int i = 0; i < steps; i++) {
        fresh.apply(fresh.next(), fresh.host.version());
        if (i % 3 == 2) {
          fresh.pass();
        }
      }
      if (fresh.host.report().phase() == HostPhase.RUNNING) {
        break;
      }
      fresh.release();
      for (int i = 0;
          i < 60
              && !(fresh.host.report().phase() == HostPhase.FREE
                  && fresh.next() instanceof EngineStep.Wait);
          i++) {
        fresh.apply(fresh.next(), fresh.host.version());
        fresh.pass();
      }
      assertThat(fresh.node.isClean()).as("after %d steps: %s", steps, fresh.history).isTrue();
      assertThat(fresh.host.report().phase()).isEqualTo(HostPhase.FREE);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConductorThatEndsOrFailsWhileItUndeploysIsAskedAgain(boolean ends) {
    settle();
    model.assign(EngineModel.FIRST);
    until(() -> !model.host.report().bootId().isEmpty());
    settle();
    String from = model.host.report().bootId();
    BootRequest request =
        BootRequest.first(from, BootKind.REBOOT, "first", model.now, Optional.empty());
    model.occupy(occupancy ->
        occupancy.withConfiguration(EngineModel.SECOND).withBoot(Optional.of(request)));
    for (int i = 0; i < 10 && model.node.state() != ProvisionState.DELETING; i++) {
      step();
    }
    assertThat(model.node.state()).isEqualTo(ProvisionState.DELETING);
    // One that fails forgets whose the node is.
    model.node =
        model.with(
            ProvisionState.ERROR,
            model.node.power(),
            ends ? model.node.instance() : "",
            model.node.note());
    until(() -> !model.host.report().bootId().equals(from));
    assertThat(model.host.is(HostPhase.RUNNING)).isTrue();
    assertThat(model.host.report().bootedConfiguration()).isEqualTo(EngineModel.SECOND);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDeploymentThatItsConductorDidNotFinishIsAskedForAgain(boolean delivery) {
    model.assign(EngineModel.FIRST);
    if (!delivery) {
      until(() -> !model.host.report().bootId().isEmpty());
      settle();
      BootRequest request =
          BootRequest.first(
              model.host.report().bootId(), BootKind.REBOOT, "first", model.now, Optional.empty());
      model.occupy(occupancy ->
          occupancy.withConfiguration(EngineModel.SECOND).withBoot(Optional.of(request)));
    }
    String before = model.host.report().bootId();
    for (int i = 0; i < 20 && model.node.state() != ProvisionState.DEPLOYING; i++) {
      model.pass();
      step();
    }
    assertThat(model.node.state()).isEqualTo(ProvisionState.DEPLOYING);
    model.node =
        model
            .with(
                ProvisionState.DEPLOY_FAILED,
                model.node.power(),
                model.node.instance(),
                model.node.note())
            .withLastError("The deploying state can't be resumed by conductor here.");
    for (int i = 0; i < 5 && model.node.state() == ProvisionState.DEPLOY_FAILED; i++) {
      step();
      assertThat(model.host.is(HostPhase.FAILED)).isFalse();
    }
    model.node = model.node.withLastError("");
    until(() -> !model.host.report().bootId().equals(before) && model.host.is(HostPhase.RUNNING));
    assertThat(model.host.report().bootedConfiguration())
        .isEqualTo(delivery ? EngineModel.FIRST : EngineModel.SECOND);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCleaningThatItsConductorDidNotFinishIsAskedForAgain(boolean released) {
    rough = true;
    model.assign(EngineModel.FIRST);
    until(() -> !model.host.report().bootId().isEmpty());
    settle();
    String before = model.host.report().bootId();
    if (released) {
      model.release();
    } else {
      BootRequest request =
          BootRequest.first(before, BootKind.REBOOT, "first", model.now, Optional.empty());
      model.occupy(occupancy ->
          occupancy.withConfiguration(EngineModel.SECOND).withBoot(Optional.of(request)));
    }
    until(() -> model.node.state() == ProvisionState.CLEANING);
    model.node =
        model
            .with(ProvisionState.CLEAN_FAILED, model.node.power(), "", model.node.note())
            .withLastError("The cleaning state can't be resumed by conductor here.");
    until(() -> {
      assertThat(model.host.is(HostPhase.FAILED)).isFalse();
      assertThat(model.host.report().maintenance()).isFalse();
      return released
          ? model.host.report().phase() == HostPhase.FREE
          : !model.host.report().bootId().equals(before);
    });
    assertThat(model.history).contains("clean");
    settle();
    // What its owner takes out of the pool later is left to the owner.
    model.node =
        model.with(
            ProvisionState.MANAGEABLE,
            model.node.power(),
            model.node.instance(),
            model.node.note());
    for (int i = 0; i < 10; i++) {
      step();
    }
    assertThat(model.node.state()).isEqualTo(ProvisionState.MANAGEABLE);
  }

  @Test
  void anOffDuringADeliveryWins() {
    model.assign(EngineModel.FIRST);
    until(() -> model.node.state() == ProvisionState.DEPLOYING);
    model.power(Host.Power.OFF);
    until(() -> model.host.isOff(model.now));
    assertThat(model.host.is(HostPhase.STOPPED)).isTrue();
    assertThat(model.node.isOff()).isTrue();
    assertThat(model.kubelet).isEmpty();
  }

  @Test
  void aFailedDeploymentIsFailedAndTheMachineFreeAgainOnceItWasInOrder() {
    model.failing = true;
    model.assign(EngineModel.FIRST);
    until(() -> model.host.is(HostPhase.FAILED));
    settle();
    assertThat(model.host.report().power().orElseThrow().state())
        .isEqualTo(Host.PowerReading.State.OFF);
    model.release();
    until(() -> model.host.report().phase() == HostPhase.FREE);
    assertThat(model.history).isEqualTo(List.of("deploy " + EngineModel.FIRST, "undeploy"));
  }
}
