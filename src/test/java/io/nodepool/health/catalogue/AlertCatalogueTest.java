package io.nodepool.health.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AlertCatalogueTest {
  private final AlertCatalogue shipped = AlertCatalogue.shipped();

  private AlertCatalogue changed(String document) {
    return shipped.changedBy("alerts.yaml", document);
  }

  @Test
  void anEntryOfAKnownNameChangesTheFieldsThatItGives() {
    Alert before = shipped.alert("NodeMemoryError");
    AlertCatalogue changed =
        changed(
            """
            alerts:
              NodeMemoryError:
                grade: out when idle
                hold: 1h30m
                reason: our DIMMs fail for good
            """);

    Alert after = changed.alert("NodeMemoryError");
    assertThat(after.grade()).isEqualTo(Grade.OUT_WHEN_IDLE);
    assertThat(after.hold()).isEqualTo(Duration.ofMinutes(90));
    assertThat(after)
        .isEqualTo(
            before
                .withGrade(after.grade())
                .withHold(after.hold())
                .withOverridesEviction(after.overridesEviction())
                .withPerBoot(after.perBoot())
                .withSource(Alert.Source.USER)
                .withReason("our DIMMs fail for good"));
    assertThat(changed.all()).hasSameSizeAs(shipped.all());
    assertThat(changed.alert("GPUVeryHot")).isEqualTo(shipped.alert("GPUVeryHot"));
    assertThat(changed).isNotEqualTo(shipped);
    assertThat(changed("alerts: {}")).isEqualTo(shipped).hasSameHashCodeAs(shipped);
  }

  /** For these the reference states no action: their users may want less than what is done. */
  @Test
  void thePageOnHealthMakesTheAlertsWithoutAStatedActionMilder() throws IOException {
    String page = Files.readString(Path.of("docs", "health.md"));
    int entry = page.indexOf("  KubeNodeNotReadyHGX:");
    int from = page.lastIndexOf("```yaml\n", entry) + "```yaml\n".length();
    AlertCatalogue changed = changed(page.substring(from, page.indexOf("```", from)));

    assertThat(
            changed.all().stream()
                .filter(alert -> alert.source() == Alert.Source.USER)
                .map(Alert::name))
        .containsExactlyInAnyOrder(
            "KubeNodeNotReadyHGX",
            "DPUUnexpectedPuntedRoutesCPX",
            "UnknownNVMLErrorOnContainerStart",
            "NodeRepeatUCE")
        .allSatisfy(name -> {
          assertThat(shipped.alert(name).grade()).isGreaterThan(Grade.MANUAL);
          assertThat(changed.alert(name).grade()).isLessThanOrEqualTo(Grade.MANUAL);
        });
  }

  @Test
  void anEntryOfAnotherNameAddsAnAlert() {
    AlertCatalogue changed =
        changed(
            """
            alerts:
              RackLeaks:
                meaning: >
                  The leak sensor of the rack
                  is wet.
                subject: rack
                grade: manual
                aliases: [Leak]
                nodeConditions: [LeakDetected]
              GPUWet:
                meaning: A GPU is wet.
                subject: GPU
                grade: reboot now
                symptomOf: [RackLeaks]
            """);

    Alert leak = changed.alert("RackLeaks");
    assertThat(leak.meaning()).isEqualTo("The leak sensor of the rack is wet.");
    assertThat(leak.hold()).isZero();
    assertThat(leak.perBoot()).isFalse();
    assertThat(leak.overridesEviction()).isFalse();
    assertThat(changed.find("Leak")).contains(leak);
    assertThat(changed.ofNodeCondition("LeakDetected")).contains(leak);
    Alert wet = changed.alert("GPUWet");
    assertThat(wet.symptomOf()).containsExactly("RackLeaks");
    // It would boot again and again for what the boot has ended.
    assertThat(wet.perBoot()).isTrue();
    assertThat(wet.overridesEviction()).isTrue();
    assertThat(changed.all())
        .hasSize(shipped.all().size() + 2)
        .isSortedAccordingTo(Comparator.comparing(Alert::name));
  }

  @Test
  void anAlertWithAnotherGradeDecidesAnewWhetherItOverridesEviction() {
    assertThat(eviction("GPUFallenOffBus: {grade: watch}")).isFalse();
    assertThat(eviction("GPUFallenOffBus: {grade: reboot now}")).isTrue();
    assertThat(eviction("GPUFallenOffBus: {overridesEviction: false}")).isFalse();
    assertThat(eviction("GPUFallenOffBus: {hold: 1m}")).isTrue();
    assertThat(eviction("GPUFallenOffBus: {grade: out now, overridesEviction: false}")).isFalse();
  }

  private boolean eviction(String entry) {
    return changed("alerts: {" + entry + "}").alert("GPUFallenOffBus").overridesEviction();
  }

  @Test
  void changesOfChangedAlertsBuildOnThem() {
    AlertCatalogue twice =
        changed("alerts: {GPUVeryHot: {grade: manual}}")
            .changedBy("alerts.yaml", "alerts: {GPUVeryHot: {hold: 5m}}");
    assertThat(twice.alert("GPUVeryHot").grade()).isEqualTo(Grade.MANUAL);
  }

  @Test
  void anUnknownAlertIsWatchedAndSaysThatItIsUnknown() {
    Alert unknown = shipped.alert("NobodyKnowsIt");
    assertThat(unknown.name()).isEqualTo("NobodyKnowsIt");
    assertThat(unknown.grade()).isEqualTo(Grade.WATCH);
    assertThat(unknown.isKnown()).isFalse();
    assertThat(unknown.meaning()).startsWith("Unknown:");
    assertThat(unknown.overridesEviction()).isFalse();
    assertThat(shipped.find("NobodyKnowsIt")).isEmpty();
    assertThat(shipped.all()).allMatch(Alert::isKnown);
  }

  @Test
  void gradesAreOrderedByTheirStrength() {
    assertThat(Stream.of(Grade.values()).map(Grade::word))
        .containsExactly(
            "none",
            "watch",
            "manual",
            "rack investigation",
            "repair DPU",
            "reset host when idle",
            "reset host and DPU when idle",
            "reboot when idle",
            "reboot now",
            "out when idle",
            "out now");
    assertThat(Grade.values()).allMatch(grade -> grade.meaning().endsWith("."));
  }

  @ParameterizedTest
  @MethodSource("io.nodepool.health.catalogue.WrongAlerts#all")
  void aMistakeIsNamedWithItsLineAndWhatWouldBeRight(WrongAlerts.Wrong wrong) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> changed(wrong.document()))
        .withMessage(wrong.message());
  }
}
