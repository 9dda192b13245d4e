package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.configuration.FleetRelease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ReleaseScheduleTest {
  private static final DataCentre CENTRE =
      new DataCentre(
          new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
          11,
          List.of(),
          new DataCentre.Terms(
              new TreeMap<>(),
              new TreeSet<>(),
              List.of(release("1"), release("2"), release("3"), release("4")),
              new TreeMap<>(Map.of("2", Duration.ofHours(2), "4", Duration.ofHours(6)))),
          new DataCentre.Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO),
          DataCentre.Mishaps.NONE);

  private static FleetRelease release(String name) {
    return new FleetRelease.Parts(
        name,
        List.of(new FleetRelease.Image("ncore-" + name, "stable", List.of("6.8.0-71"))),
        List.of(),
        "v1.34.4");
  }

  private static List<String> names(DataCentre centre, Duration age) {
    return centre.offer(age).releases().stream().map(FleetRelease::name).toList();
  }

  @Test
  void aScheduledReleaseIsOnOfferFromItsTimeInItsPlace() {
    assertThat(names(CENTRE, Duration.ZERO)).containsExactly("1", "3");
    assertThat(CENTRE.offer()).isEqualTo(CENTRE.offer(Duration.ZERO));
    assertThat(names(CENTRE, Duration.ofHours(2).minusNanos(1))).containsExactly("1", "3");
    assertThat(names(CENTRE, Duration.ofHours(2))).containsExactly("1", "2", "3");
    assertThat(names(CENTRE, Duration.ofHours(6))).containsExactly("1", "2", "3", "4");
  }

  @Test
  void theNextPublicationIsKnown() {
    assertThat(CENTRE.terms().nextPublication(Duration.ZERO)).contains(Duration.ofHours(2));
    assertThat(CENTRE.terms().nextPublication(Duration.ofHours(2))).contains(Duration.ofHours(6));
    assertThat(CENTRE.terms().nextPublication(Duration.ofHours(6))).isEmpty();
  }

  @Test
  void aFasterDataCentrePublishesSooner() {
    assertThat(CENTRE.faster(60).terms().nextPublication(Duration.ZERO))
        .contains(Duration.ofMinutes(2));
  }
}
