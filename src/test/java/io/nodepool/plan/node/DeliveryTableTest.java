package io.nodepool.plan.node;

import static io.nodepool.plan.Given.NOW;
import static io.nodepool.plan.Given.host;
import static io.nodepool.plan.Given.node;
import static io.nodepool.plan.Given.running;
import static io.nodepool.plan.Given.unregistered;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.LiveRead;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.plan.Action;
import io.nodepool.plan.Given;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One row for each state of a late machine: how it is returned to the fleet, or that it is not. */
class DeliveryTableTest {
  private static final Host UP = running("g1");
  private static final Node JOINED = unregistered(node(UP, 3));
  private static final Host BOOTING = host("g1", HostPhase.FREE, 2, Host.Power.ON);
  private static final Host FAILED = host("g1", HostPhase.FAILED, 3, Host.Power.ON);
  private static final Host STOPPED = host("g1", HostPhase.STOPPED, 3, Host.Power.ON);
  private static final Host AHEAD = host("g1", HostPhase.RUNNING, 9, Host.Power.ON);
  private static final Host WIPING = host("g1", HostPhase.CLEANING, 3, Host.Power.ON);
  private static final Workload BUSY = new Workload(1, 0, false);
  private static final Duration LATE = Duration.ofHours(2);
  private static final Duration SOON = Duration.ofSeconds(10);
  private static final Member.Findings NOTHING = Member.Findings.NONE;
  private static final Member.Findings EMPTY_READ = liveRead(new LiveRead(false, 0, NOW));
  private static final Member.Findings FROZEN =
      Fixtures.findings(
          Optional.empty(), Optional.of("no tenancy"), Optional.empty(), Optional.empty());
  private static final Member.Findings REFUSED =
      Fixtures.findings(
          Optional.empty(), Optional.empty(), Optional.of("HTTP 403"), Optional.empty());

  private static Member.Findings liveRead(LiveRead liveRead) {
    return Fixtures.findings(
        Optional.empty(), Optional.empty(), Optional.empty(), Optional.of(liveRead));
  }

  static Stream<Arguments> rows() {
    Workload none = Workload.NONE;
    Member.Awaited delivery = Member.Awaited.DELIVERY;
    Member.Awaited registration = Member.Awaited.REGISTRATION;
    Member.Awaited outage = Member.Awaited.OUTAGE;
    return Stream.of(
        row("boots in time", BOOTING, null, none, delivery, SOON, NOTHING, null),
        row(
            "does not boot",
            BOOTING,
            null,
            none,
            delivery,
            LATE,
            NOTHING,
            HostOperation.Cancel.class),
        row(
            "failed to boot: no further wait",
            FAILED,
            null,
            none,
            delivery,
            SOON,
            NOTHING,
            Action.ReadMachine.class),
        row(
            "failed to boot, nothing found",
            FAILED,
            null,
            none,
            delivery,
            SOON,
            EMPTY_READ,
            HostOperation.Stop.class),
        row(
            "reports another tenancy",
            AHEAD,
            null,
            none,
            delivery,
            LATE,
            EMPTY_READ,
            HostOperation.Stop.class),
        row(
            "is wiped while it is assigned",
            WIPING,
            null,
            none,
            delivery,
            LATE,
            EMPTY_READ,
            HostOperation.Stop.class),
        row(
            "booted, no Node: a live read first",
            UP,
            null,
            none,
            registration,
            LATE,
            NOTHING,
            Action.ReadMachine.class),
        row(
            "booted, the live read found no Node",
            UP,
            null,
            none,
            registration,
            LATE,
            EMPTY_READ,
            HostOperation.Stop.class),
        row(
            "booted, the live read found a Node",
            UP,
            null,
            none,
            registration,
            LATE,
            liveRead(new LiveRead(true, 0, NOW)),
            null),
        row(
            "booted, the live read found Pods",
            UP,
            null,
            none,
            registration,
            LATE,
            liveRead(new LiveRead(false, 1, NOW)),
            null),
        row(
            "joined, idle, not registered",
            UP,
            JOINED,
            none,
            registration,
            LATE,
            NOTHING,
            NodePurpose.ADMIT),
        row("joined, busy, not registered", UP, JOINED, BUSY, registration, LATE, NOTHING, null),
        row(
            "stopped by itself a moment ago",
            STOPPED,
            node(UP, 3),
            none,
            outage,
            SOON,
            NOTHING,
            null),
        row(
            "stopped by itself long ago",
            STOPPED,
            node(UP, 3),
            none,
            outage,
            LATE,
            NOTHING,
            NodePurpose.ADMIT),
        row(
            "stopped by itself, with work",
            STOPPED,
            node(UP, 3),
            BUSY,
            outage,
            LATE,
            NOTHING,
            null),
        row(
            "failed after its Node joined",
            FAILED,
            node(UP, 3),
            none,
            outage,
            LATE,
            NOTHING,
            NodePurpose.ADMIT),
        row("cannot be read", UP, JOINED, none, registration, LATE, FROZEN, null),
        row("its registration is forbidden", UP, JOINED, none, registration, LATE, REFUSED, null));
  }

  private static Arguments row(
      String situation,
      Host host,
      @Nullable Node node,
      Workload workload,
      Member.Awaited awaited,
      Duration watched,
      Member.Findings findings,
      @Nullable Object next) {
    return Arguments.of(
        situation,
        Given.member(
            host,
            Optional.ofNullable(node),
            workload,
            Optional.of(new Member.Waiting(awaited, NOW.minus(watched))),
            findings),
        Optional.ofNullable(next));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void aLateMachineIsReturnedOrKept(String situation, Member member, Optional<Object> next) {
    PoolPlan plan =
        new PoolPlanner(Given.CATALOGUE, PlanSettings.DEFAULTS)
            .plan(
                Given.pool(Given.pool(1, PoolSpec.ScaleDownStrategy.IDLE_ONLY), List.of(member)),
                NOW);
    assertThat(
            plan.plannedActions().stream()
                .map(plannedAction -> kind(plannedAction.action()))
                .toList())
        .isEqualTo(next.stream().toList());
  }

  private static Object kind(Action action) {
    return action instanceof Action.OnHost(HostOperation operation)
        ? operation.getClass()
        : action.kind();
  }
}
