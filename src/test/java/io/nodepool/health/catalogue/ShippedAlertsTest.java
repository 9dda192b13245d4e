package io.nodepool.health.catalogue;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The alerts that ship with the operator, against the words of the reference. */
class ShippedAlertsTest {
  private static final List<ReferenceAlerts.Row> REFERENCE = ReferenceAlerts.read();

  private final AlertCatalogue catalogue = AlertCatalogue.shipped();

  private List<Alert> from(Alert.Source source) {
    return catalogue.all().stream().filter(alert -> alert.source() == source).toList();
  }

  @Test
  void thoseThatCiteTheReferenceAreThoseOfTheReference() {
    assertThat(REFERENCE).hasSize(49);
    assertThat(from(Alert.Source.REFERENCE))
        .extracting(alert ->
            new ReferenceAlerts.Row(
                alert.name(), alert.grade().word(), alert.overridesEviction(), alert.meaning()))
        .containsExactlyInAnyOrderElementsOf(REFERENCE);
  }

  @Test
  void theyOverrideEvictionExactlyIfTheirTextIsUrgent() {
    assertThat(REFERENCE)
        .allSatisfy(row ->
            assertThat(row.overridesEviction())
                .as(row.text())
                .isEqualTo(
                    row.text().contains("immediately")
                        || row.text().contains("will be restarted")));
  }

  @Test
  void gradesAreSpreadAsTheReferenceSays() {
    assertThat(from(Alert.Source.REFERENCE).stream().collect(groupingBy(Alert::grade, counting())))
        .isEqualTo(
            Map.ofEntries(
                Map.entry(Grade.NONE, 4L),
                Map.entry(Grade.WATCH, 20L),
                Map.entry(Grade.MANUAL, 2L),
                Map.entry(Grade.RACK_INVESTIGATION, 1L),
                Map.entry(Grade.REPAIR_DPU, 3L),
                Map.entry(Grade.RESET_HOST_WHEN_IDLE, 1L),
                Map.entry(Grade.RESET_HOST_AND_DPU_WHEN_IDLE, 2L),
                Map.entry(Grade.REBOOT_WHEN_IDLE, 1L),
                Map.entry(Grade.REBOOT_NOW, 3L),
                Map.entry(Grade.OUT_WHEN_IDLE, 8L),
                Map.entry(Grade.OUT_NOW, 4L)));
  }

  @Test
  void aReasonQuotesTheMeaningOrSaysThatNoActionIsStated() {
    Pattern quote = Pattern.compile("\"([^\"]+)\"");
    assertThat(from(Alert.Source.REFERENCE))
        .allSatisfy(alert -> {
          List<String> quotes =
              quote
                  .matcher(alert.reason())
                  .results()
                  .map(MatchResult::group)
                  .map(quoted -> quoted.substring(1, quoted.length() - 1))
                  .filter(quoted -> !quoted.equals("immediately"))
                  .toList();
          assertThat(quotes.isEmpty())
              .as(alert.name())
              .isEqualTo(
                  alert.reason().startsWith("No action is stated")
                      && !alert.reason().contains("\""));
          assertThat(quotes).as(alert.name()).allMatch(alert.meaning()::contains);
        });
  }

  @Test
  void theOthersAreOursAndWatchedButForTheOneOfARecordedIncident() {
    assertThat(from(Alert.Source.OURS))
        .hasSize(catalogue.all().size() - 49)
        .filteredOn(alert -> alert.grade() != Grade.WATCH)
        .extracting(Alert::name)
        .containsExactly("KernelDeadlock");
  }

  @Test
  void whatABootCuresEndsWithIt() {
    assertThat(catalogue.all())
        .filteredOn(alert -> alert.grade().boots())
        .hasSize(8)
        .allMatch(Alert::perBoot);
    assertThat(catalogue.all())
        .filteredOn(alert -> alert.grade() == Grade.OUT_NOW || alert.grade() == Grade.OUT_WHEN_IDLE)
        .noneMatch(Alert::perBoot);
  }

  @Test
  void theirTextsUseTwoAliases() {
    assertThat(catalogue.alert("DPULinkFlapping").name()).isEqualTo("DPULinkFlappingCPX");
    assertThat(catalogue.alert("NVLinkDomainDegraded").name())
        .isEqualTo("NVLinkDomainProductionNodeCountLow");
    assertThat(catalogue.all().stream().flatMap(alert -> alert.aliases().stream())).hasSize(2);
  }

  @Test
  void anUnreadyNodeCountsAfterAQuarterOfAnHour() {
    assertThat(catalogue.alert("KubeNodeNotReadyHGX").hold()).isEqualTo(Duration.ofMinutes(15));
    assertThat(catalogue.alert("KubeNodeNotReady").hold()).isEqualTo(Duration.ofMinutes(15));
  }

  @Test
  void xid145IsASymptomOfXid149() {
    Alert symptom = catalogue.alert("NodeGPUXID145");
    assertThat(symptom.symptomOf())
        .contains("NodeGPUXID149NVSwitch")
        .allMatch(cause -> cause.startsWith("NodeGPUXID149"));
    assertThat(symptom.grade()).isEqualTo(Grade.WATCH);
    assertThat(symptom.source()).isEqualTo(Alert.Source.OURS);
  }

  @Test
  void aConditionOfAnXidMeansTheAlertWhoseTextNamesThatXid() {
    Pattern xid = Pattern.compile("\\(Xid ([0-9]+)\\)");
    SortedMap<String, SortedSet<String>> namedBy = new TreeMap<>();
    for (ReferenceAlerts.Row row : REFERENCE) {
      xid.matcher(row.text())
          .results()
          .forEach(found ->
              namedBy
                  .computeIfAbsent("GpuXid" + found.group(1), _ -> new TreeSet<>())
                  .add(row.name()));
    }

    assertThat(namedBy).hasSize(9);
    // Of GPUFallenOffBus and its HGX variant the first.
    namedBy.forEach((type, names) ->
        assertThat(catalogue.ofNodeCondition(type).map(Alert::name))
            .as(type)
            .contains(names.first()));
    assertThat(catalogue.ofNodeCondition("GpuXid149").map(Alert::name))
        .contains("NodeGPUXID149NVSwitch");
    assertThat(catalogue.ofNodeCondition("Ready")).isEmpty();
  }
}
