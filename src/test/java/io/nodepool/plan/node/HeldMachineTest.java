package io.nodepool.plan.node;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.host;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.pool;
import static io.nodepool.plan.Given.unassigned;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Host.PowerReading;
import io.nodepool.fleet.Host.PowerReading.State;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Given;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A machine of which it is not known whether it is off keeps its Node and its pool. */
class HeldMachineTest {
  private static final MachinePlanner PLANNER =
      new MachinePlanner(Given.CATALOGUE, PlanSettings.DEFAULTS);
  private static final Instant BEGAN = NOW;

  private static Host off(HostPhase phase, String power, int minutesAgo) {
    Host host = host("g1", phase, 3, Host.Power.OFF);
    return power.isEmpty()
        ? host
        : host.withReport(
            host.report()
                .withPower(
                    Optional.of(
                        new PowerReading(
                            State.valueOf(power), NOW.minus(Duration.ofMinutes(minutesAgo))))));
  }

  private static Host fenced(Host host, int tenancy, Instant since) {
    return host.withOccupancy(
        host.occupancy().withFenced(Optional.of(new Host.Fenced(tenancy, since, NOW))));
  }

  private static Stream<Action> actions(Host host, Optional<Node> node) {
    MachinePlan plan =
        PLANNER.plan(
            Given.machine(
                host,
                node,
                List.of(),
                Optional.of(pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY)),
                MachineSnapshot.Evidence.NONE),
            NOW);
    return plan.plannedActions().stream().map(PlannedAction::action);
  }

  private static boolean deletesNode(Host host) {
    return actions(host, Optional.of(node(host, 3))).anyMatch(Action.DeleteNode.class::isInstance);
  }

  private static boolean releases(Host host) {
    return actions(host, Optional.empty())
        .anyMatch(each ->
            each instanceof Action.OnHost(HostOperation operation)
                && operation instanceof HostOperation.Release);
  }

  @ParameterizedTest
  @CsvSource({
    "FAILED, '', 0, true",
    "FAILED, OFF, 29, true",
    "FAILED, OFF, 30, false",
    "FAILED, ON, 1, false",
    "FAILED, UNKNOWN, 1, false",
    "STOPPED, '', 0, true",
    "STOPPED, OFF, 90, true",
    "STOPPED, UNKNOWN, 1, true",
    "STOPPED, ON, 1, false",
    "BOOTING, '', 0, false",
    "RUNNING, OFF, 1, false",
  })
  void aNodeGoesAndAHostIsReleasedOnlyOnceItsMachineIsOff(
      HostPhase phase, String power, int minutesAgo, boolean isOff) {
    Host host = off(phase, power, minutesAgo);

    assertThat(deletesNode(host)).isEqualTo(isOff);
    assertThat(releases(host)).isEqualTo(isOff);
  }

  @Test
  void aPersonSaysOfOneFailureThatTheMachineCannotRun() {
    Host host = off(HostPhase.FAILED, "UNKNOWN", 1);

    assertThat(deletesNode(fenced(host, 3, BEGAN))).isTrue();
    assertThat(releases(fenced(host, 3, BEGAN))).isTrue();
    assertThat(deletesNode(fenced(host, 2, BEGAN))).isFalse();
    assertThat(deletesNode(fenced(host, 3, BEGAN.minusSeconds(1)))).isFalse();
  }

  @Test
  void theNodeOfADeliveryThatWasCancelledStaysUntilItIsCleaned() {
    Host cancelled = unassigned(host("g1", HostPhase.BOOTING, 3, Host.Power.ON));
    Host cleaning = unassigned(host("g1", HostPhase.CLEANING, 3, Host.Power.ON));

    assertThat(actions(cancelled, Optional.of(node(cancelled, 3)))).isEmpty();
    assertThat(actions(cleaning, Optional.of(node(cleaning, 3)))).isNotEmpty();
  }

  @Test
  void whatIsKnownOfThePowerIsOutOfDateAfterHalfAnHour() {
    Host host = off(HostPhase.RUNNING, "ON", 10);

    assertThat(host.hold(NOW)).isEmpty();
    assertThat(host.staleAt(NOW)).contains(NOW.plus(Duration.ofMinutes(20)));
    assertThat(host.hold(NOW.plus(Duration.ofMinutes(20)))).contains(Host.Hold.POWER_STALE);
    assertThat(host.staleAt(NOW.plus(Duration.ofMinutes(20)))).isEmpty();
  }
}
