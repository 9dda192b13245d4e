package io.nodepool.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests what is one group, of a machine or of its rack. */
class RackHealthTest {
  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");
  private static final String FATAL = "NodeGPUXID149NVSwitch";
  private static final String FOLLOWS = "NodeGPUXID145";

  private final SortedMap<String, Tray> trays = new TreeMap<>();
  private final List<StandingAlert> own = new ArrayList<>();

  private void rack(int machines) {
    for (int i = 0; i < machines; i++) {
      trays.put(host(i), new Tray("DH1-001-US-EAST-04A", Tray.Place.PRODUCTION, List.of()));
    }
  }

  private static String host(int place) {
    return "s%02d".formatted(place);
  }

  private static StandingAlert alert(String name, int minute) {
    Instant since = START.plus(Duration.ofMinutes(minute));
    return new StandingAlert(
        AlertCatalogue.shipped().alert(name),
        since,
        StandingAlert.State.STANDS,
        List.of(Signal.standing(new SignalKey("alertmanager", "gpu0", name), since)));
  }

  private void on(int place, StandingAlert... alerts) {
    trays.compute(
        host(place),
        (_, tray) -> {
          List<StandingAlert> all = new ArrayList<>(tray.standing());
          all.addAll(List.of(alerts));
          return new Tray(tray.domain(), tray.place(), all);
        });
  }

  private RackHealth folded() {
    return RackHealth.of(trays, own, HealthSettings.DEFAULTS);
  }

  /** On how many machines the alerts of a group stand. */
  private static long hosts(AlertGroup group) {
    return group.alerts().stream()
        .map(GroupedAlert::host)
        .filter(each -> !each.isEmpty())
        .distinct()
        .count();
  }

  @Test
  void allAlertsOfAMachineAreOneMatterOfTheStrongestGrade() {
    rack(4);
    on(1, alert("GPUVeryHot", 0), alert("GPUFallenOffBus", 5));

    RackHealth health = folded();
    assertThat(health.rack()).isEmpty();
    assertThat(health.hosts()).containsOnlyKeys(host(1));
    AlertGroup group = Optional.ofNullable(health.hosts().get(host(1))).orElseThrow();
    assertThat(group.alert().name()).isEqualTo("GPUFallenOffBus");
    assertThat(group.grade()).isEqualTo(Grade.OUT_NOW);
    assertThat(group.since()).isEqualTo(START);
    assertThat(group.alerts()).hasSize(2);
  }

  @Test
  void symptomsOnAllOtherMachinesOfADomainJoinTheirCause() {
    rack(18);
    on(7, alert(FATAL, 1), alert(FOLLOWS, 1));
    for (int i = 0; i < 18; i++) {
      if (i != 7) {
        on(i, alert(FOLLOWS, 0));
      }
    }

    RackHealth health = folded();
    assertThat(health.rack()).isEmpty();
    assertThat(health.hosts()).containsOnlyKeys(host(7));
    AlertGroup group = Optional.ofNullable(health.hosts().get(host(7))).orElseThrow();
    assertThat(group.alert().name()).isEqualTo(FATAL);
    assertThat(group.alerts()).filteredOn(GroupedAlert::symptom).hasSize(18);
    assertThat(hosts(group)).isEqualTo(18);
    assertThat(health.symptoms(host(3)))
        .containsEntry(FOLLOWS, new RackHealth.Cause(FATAL, host(7)));
    assertThat(health.symptoms(host(7))).doesNotContainKey(FATAL);
  }

  @Test
  void aSymptomWithoutACauseInItsDomainIsAMatterOfItsOwn() {
    rack(18);
    on(7, alert(FATAL, 1));
    trays.put(
        "other",
        new Tray("DH1-002-US-EAST-04A", Tray.Place.PRODUCTION, List.of(alert(FOLLOWS, 1))));
    trays.put("none", new Tray("", Tray.Place.PRODUCTION, List.of(alert(FOLLOWS, 1))));

    assertThat(folded().hosts()).containsOnlyKeys(host(7), "other", "none");
    assertThat(folded().symptoms("other")).isEmpty();
  }

  @Test
  void whatBeganOnHalfOfTheMachinesAtOnceIsAMatterOfTheRack() {
    rack(18);
    for (int i = 0; i < 9; i++) {
      on(i, alert("KubeNodeNotReady", i / 2));
    }
    on(2, alert("GPUVeryHot", 3));

    RackHealth health = folded();
    assertThat(health.rack())
        .hasValueSatisfying(group -> {
          assertThat(group.alert().name()).isEqualTo("KubeNodeNotReady");
          assertThat(hosts(group)).isEqualTo(9);
          assertThat(group.host()).isEmpty();
        });
    assertThat(health.hosts()).containsOnlyKeys(host(2));
    assertThat(health.hosts().values())
        .singleElement()
        .satisfies(group -> assertThat(group.alerts()).hasSize(1));
  }

  @Test
  void fewerOrLaterOnesAreMattersOfTheirMachines() {
    rack(18);
    for (int i = 0; i < 8; i++) {
      on(i, alert("KubeNodeNotReady", 0));
    }
    assertThat(folded().rack()).isEmpty();
    assertThat(folded().hosts()).hasSize(8);

    on(8, alert("KubeNodeNotReady", 6));
    assertThat(folded().rack()).isEmpty();

    on(9, alert("KubeNodeNotReady", 5));
    assertThat(folded().rack()).isPresent();
    assertThat(folded().hosts()).isEmpty();
  }

  @Test
  void inASmallRackThreeAreNeeded() {
    rack(4);
    on(0, alert("KubeNodeNotReady", 0));
    on(1, alert("KubeNodeNotReady", 0));
    assertThat(folded().rack()).isEmpty();
    on(2, alert("KubeNodeNotReady", 0));
    assertThat(folded().rack()).isPresent();
  }

  @Test
  void whatIsReportedAboutTheRackIsItsMatterWhicheverMachineItCameFrom() {
    rack(18);
    on(4, alert("NVL72SwitchHighFECCKS", 0));
    own.add(alert("NVLinkDomainProductionNodeCountLow", 2));

    RackHealth health = folded();
    assertThat(health.hosts()).isEmpty();
    assertThat(health.rack()).map(group -> group.alerts().size()).isEqualTo(Optional.of(2));
  }

  @Test
  void whatIsOverIsNoMatter() {
    rack(2);
    on(0, alert("GPUContainedECCError", 0));
    assertThat(folded()).isEqualTo(RackHealth.NONE);
  }

  @Test
  void aDomainIsTriagedOrLowByTheNodesInProduction() {
    rack(18);
    assertThat(domain()).isEmpty();
    place(Tray.Place.OTHER, 0, 2);
    assertThat(domain()).isEmpty();
    place(Tray.Place.OTHER, 0, 3);
    assertThat(domain()).containsExactly("NVLinkDomainProductionNodeCountLow");
    place(Tray.Place.TRIAGE, 0, 17);
    assertThat(domain()).containsExactly("NVLinkDomainProductionNodeCountLow");
    place(Tray.Place.TRIAGE, 0, 18);
    assertThat(domain()).containsExactly("NVLinkDomainFullyTriaged");
    place(Tray.Place.FREE, 0, 18);
    assertThat(domain()).isEmpty();
    trays.replaceAll((_, tray) -> new Tray("", Tray.Place.TRIAGE, List.of()));
    assertThat(domain()).isEmpty();
  }

  private void place(Tray.Place place, int from, int to) {
    for (int i = from; i < to; i++) {
      trays.computeIfPresent(host(i), (_, tray) -> new Tray(tray.domain(), place, tray.standing()));
    }
  }

  private List<String> domain() {
    return DomainSignals.of(trays.values(), START).stream().map(Signal::name).toList();
  }
}
