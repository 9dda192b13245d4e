package io.nodepool.plan.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.DeliveryHistory.Suspect;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Node;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.configuration.BootFailures;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is recorded on a Host whose delivery or reboot failed, and what is suspected of it. */
class DeliveryHistoryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final PlanSettings SETTINGS = PlanSettings.DEFAULTS;
  private static final Optional<Suspect> NEW = Optional.of(new Suspect("uid-a", "new"));
  private static final Optional<Suspect> OLD = Optional.of(new Suspect("uid-a", "old"));

  private static Host host(String configuration, Optional<BootRequest> boot) {
    return Fixtures.host(
        new HostId("g1", "uid-g1"),
        new Host.Occupancy(
                1,
                Optional.of(
                    new Assignment(
                        new PoolId("a", "uid-a"), "default", "assign", NOW, NodeTemplate.EMPTY)),
                configuration,
                Host.Power.ON)
            .withBoot(boot),
        new Host.Report(HostPhase.RUNNING, 1, "boot", configuration, NOW));
  }

  private static Host failed(Host host, Optional<Suspect> suspect) {
    return host.withDeliveries(
        Delivery.failed(host, "it did not come up", true, suspect, NOW, SETTINGS));
  }

  private static Optional<BootRequest> request(BootKind kind, String configuration) {
    return Optional.of(
        BootRequest.first("boot", kind, "op", NOW, Optional.empty())
            .withConfiguration(configuration));
  }

  @Test
  void failuresInOneConfigurationAreSuspectedOfIt() {
    Host host = host("new", Optional.empty());
    for (int count = 1; count <= 3; count++) {
      host = failed(host, NEW);
      assertThat(host.deliveries().suspect()).isEqualTo(NEW);
      assertThat(host.deliveries().isSetAside()).isEqualTo(count == 3);
    }
  }

  @Test
  void failuresInSeveralConfigurationsAreTheMachines() {
    Host other = failed(failed(host("new", Optional.empty()), NEW), OLD);
    assertThat(other.deliveries().suspect()).isEmpty();
    assertThat(failed(other, OLD).deliveries().suspect()).isEmpty();
    Host unknown = failed(failed(host("new", Optional.empty()), Optional.empty()), NEW);
    assertThat(unknown.deliveries().suspect()).isEmpty();
    assertThat(failed(unknown, NEW).deliveries().isSetAside()).isTrue();
  }

  @Test
  void aTextOfAPersonIsSuspectedOfNothingAndStays() {
    DeliveryHistory before = new DeliveryHistory(Optional.empty(), "on loan");
    Host loaned = host("new", request(BootKind.POWER_RESET, "new")).withDeliveries(before);

    DeliveryHistory failed = Delivery.failedReboot(loaned, NOW, SETTINGS);
    assertThat(failed.setAside()).isEqualTo("on loan");
    assertThat(failed.failure()).isPresent();
    assertThat(failed.suspect()).isEmpty();
  }

  @Test
  void aRebootThatFailedIsSuspectedOfWhatItWasToBoot() {
    assertThat(suspected(request(BootKind.POWER_RESET, "new"))).isEqualTo(NEW);
    assertThat(suspected(request(BootKind.POWER_RESET, "old"))).isEqualTo(OLD);
    assertThat(suspected(request(BootKind.POWER_RESET, ""))).isEqualTo(NEW);
    assertThat(suspected(request(BootKind.VERIFICATION, ""))).isEmpty();
  }

  private static Optional<Suspect> suspected(Optional<BootRequest> request) {
    DeliveryHistory failed = Delivery.failedReboot(host("new", request), NOW, SETTINGS);
    assertThat(failed.isSetAside()).isTrue();
    return failed.suspect();
  }

  @Test
  void aMachineThatHadBootedIsNotSuspectedOfItsConfiguration() {
    Host host = host("new", Optional.empty());
    Node ready = Fixtures.node(host.id(), "node", 1);

    assertThat(BootFailures.suspect(host, Optional.empty(), false)).isEqualTo(NEW);
    assertThat(BootFailures.suspect(host, Optional.of(ready), false).isEmpty())
        .isEqualTo(ready.ready());
    assertThat(BootFailures.suspect(host, Optional.empty(), true)).isEmpty();
    assertThat(BootFailures.suspect(host("", Optional.empty()), Optional.empty(), false)).isEmpty();
  }
}
