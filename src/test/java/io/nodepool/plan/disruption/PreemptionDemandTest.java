package io.nodepool.plan.disruption;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Given;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.NodeDemands;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.PreemptionCause;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The instants of a preemption, which follow from the fleet's notice (decision D67). */
class PreemptionDemandTest {
  private static final Instant NOTICE = Instant.parse("2026-01-01T10:00:00Z");

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "the window of the fleet is the longest one,           1, PT7M,    PT2M,    PT6M30S, PT7M",
    "the fleet reclaims after the longest window,          1, PT1H,    PT2M,    PT6M30S, PT7M",
    "the fleet reclaims before the end of the window,      1, PT5M,    PT2M,    PT4M30S, PT5M",
    "the force would come before the end of the warning,   1, PT2M10S, PT1M40S, PT1M40S, PT2M10S",
    "the fleet reclaims before the end of the warning,     1, PT1M,    PT30S,   PT30S,   PT1M",
    "the fleet reclaims sooner than Pods can be forced,    1, PT10S,   PT-20S,  PT-20S,  PT10S",
    "the fleet reclaims with its notice,                   1, PT0S,    PT-30S,  PT-30S,  PT0S",
    "ten times faster,                                    10, PT42S,   PT12S,   PT39S,   PT42S",
    "ten times faster and the fleet is not,               10, PT7M,    PT12S,   PT39S,   PT42S",
    "ten times faster and reclaimed before the warning,   10, PT6S,    PT3S,    PT3S,    PT6S",
  })
  void theInstantsFollowFromTheNotice(
      String situation,
      int speed,
      Duration reclaim,
      Duration drain,
      Duration force,
      Duration stop) {
    Demand demand =
        PreemptionCause.demand(
            new Reclaim(NOTICE, NOTICE.plus(reclaim), "wanted"),
            PlanSettings.DEFAULTS.faster(speed).preemption());

    assertThat(demand.carriedOut(false).window())
        .isEqualTo(
            new Demand.Window(
                NOTICE.plus(drain), NOTICE.plus(drain), NOTICE.plus(force), NOTICE.plus(stop)));
    assertThat(demand.carriedOut(false).window().isFromOutside()).isTrue();
    assertThat(demand.carriedOut(false).ending()).isEqualTo(new DisruptionEnding.Leave());
  }

  @Test
  void aNoticeOnAHostThatNoSpotPoolHoldsDemandsNothing() {
    Host host = Given.running("g1");
    Host noticed =
        host.withReport(
            host.report()
                .withSpot(
                    new Host.Spot(
                        true,
                        Optional.of(new Reclaim(NOTICE, NOTICE.plusSeconds(420), "wanted")))));

    CauseFacts facts =
        CauseFacts.of(
            Given.machine(
                noticed,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                MachineSnapshot.Evidence.NONE),
            NOTICE,
            PlanSettings.DEFAULTS);
    assertThat(new NodeDemands(facts, DisruptionAdmission.of(facts.pool(), true, Optional.empty())).own()).isEmpty();
  }
}
