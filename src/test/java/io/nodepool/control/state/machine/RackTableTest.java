package io.nodepool.control.state.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.HealthSettings;
import io.nodepool.health.RackId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.Tray;
import io.nodepool.health.catalogue.AlertCatalogue;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which racks have the most matters. */
class RackTableTest {
  private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");

  private final RackTable racks = new RackTable(HealthSettings.DEFAULTS);

  private void machine(String host, String rack, String... alerts) {
    List<StandingAlert> standing =
        Stream.of(alerts)
            .map(name ->
                new StandingAlert(
                    AlertCatalogue.shipped().alert(name),
                    NOW,
                    StandingAlert.State.STANDS,
                    List.of(Signal.standing(new SignalKey("dcgm", "host", name), NOW))))
            .toList();
    racks.changed(
        host,
        new RackId("z", rack),
        new Tray("", Tray.Place.PRODUCTION, standing),
        AlertCatalogue.shipped(),
        NOW,
        _ -> {});
  }

  @Test
  void thoseWithTheMostMattersAreFirst() {
    machine("a1", "1", "GPUVeryHot");
    machine("b1", "2", "GPUVeryHot", "GPUFallenOffBus");
    machine("b2", "2", "GPUTimeoutError");
    machine("c1", "3");
    machine("d1", "4", "GPUVeryHot");

    assertThat(racks.most(2))
        .containsExactly(Map.entry(new RackId("z", "2"), 2L), Map.entry(new RackId("z", "1"), 1L));
    assertThat(racks.most(50)).hasSize(3);

    racks.gone("b1", AlertCatalogue.shipped(), NOW, _ -> {});
    racks.gone("b2", AlertCatalogue.shipped(), NOW, _ -> {});
    assertThat(racks.most(50)).extracting(each -> each.getKey().rack()).containsExactly("1", "4");
  }
}
