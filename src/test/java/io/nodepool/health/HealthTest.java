package io.nodepool.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.vocabulary.SourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests which alerts stand, by what was observed of signals and boots (decisions D32 and D34). */
class HealthTest {
  private static final Instant BOOTED = Instant.parse("2026-11-20T10:00:00Z");
  private static final Duration CLEAR = Duration.ofMinutes(10);

  private final List<ObservedSignal> signals = new ArrayList<>();
  private ObservedBoot boot =
      new ObservedBoot("boot-2", Optional.of(BOOTED), BOOTED, Optional.of(BOOTED.plusSeconds(120)));

  private static Instant minute(int minutes) {
    return BOOTED.plus(Duration.ofMinutes(minutes));
  }

  private static SignalKey key(String name) {
    return new SignalKey("alertmanager", "gpu3", name);
  }

  private void standing(String name, Instant since) {
    signals.add(new ObservedSignal(Signal.standing(key(name), since), since, Optional.empty()));
  }

  private void ended(String name, Instant since, Instant end) {
    signals.add(
        new ObservedSignal(
            Signal.standing(key(name), since).endedAt(end), since, Optional.of(end)));
  }

  private Health at(Instant now) {
    return Health.of(signals, boot, AlertCatalogue.shipped(), HealthSettings.DEFAULTS, now);
  }

  private List<String> standingAt(Instant now) {
    return at(now).standing().stream().map(StandingAlert::name).toList();
  }

  @Test
  void nothingIsReportedAboutMostMachines() {
    assertThat(at(minute(30))).isEqualTo(Health.NONE);
  }

  private void reported(String source, String name, Instant since, Instant reported) {
    Signal signal = Signal.standing(new SignalKey(source, "gpu3", name), since);
    signals.add(
        new ObservedSignal(signal.withReported(Optional.of(reported)), since, Optional.empty()));
  }

  private String stateAt(Instant now) {
    return at(now).standing().stream()
        .map(each -> each.name() + " " + each.state())
        .collect(Collectors.joining(", "));
  }

  @Test
  void aSignalIsStaleOnceItsSourceIsSilent() {
    reported("alertmanager", "GPUVeryHot", minute(20), minute(30));

    assertThat(stateAt(minute(30 + 12 * 60 - 1))).isEqualTo("GPUVeryHot STANDS");
    assertThat(at(minute(30)).changesAt()).contains(minute(30 + 12 * 60));
    assertThat(stateAt(minute(30 + 12 * 60))).isEqualTo("GPUVeryHot STALE");
  }

  @Test
  void aConditionIsStaleAfterHalfAnHour() {
    reported(SourceName.CONDITIONS, "GPUVeryHot", minute(20), minute(30));

    assertThat(stateAt(minute(59))).isEqualTo("GPUVeryHot STANDS");
    assertThat(stateAt(minute(60))).isEqualTo("GPUVeryHot STALE");
  }

  @Test
  void theCatalogueSaysWhenASourceIsSilent() {
    AlertCatalogue impatient =
        AlertCatalogue.shipped()
            .changedBy("alerts.yaml", "alerts: {}\nsources:\n  dcgm: {silence: 1m}\n");
    reported("dcgm", "GPUVeryHot", minute(20), minute(30));

    assertThat(Health.of(signals, boot, impatient, HealthSettings.DEFAULTS, minute(31)).standing())
        .extracting(StandingAlert::state)
        .containsExactly(StandingAlert.State.STALE);
  }

  @Test
  void anAlertStandsAsLongAsOneSourceIsHeardOf() {
    reported("alertmanager", "GPUVeryHot", minute(20), minute(20));
    signals.add(
        new ObservedSignal(
            Signal.standing(new SignalKey("fleet", "gpu1", "GPUVeryHot"), minute(25)),
            minute(25),
            Optional.empty()));

    assertThat(stateAt(minute(30 * 60))).isEqualTo("GPUVeryHot STANDS");
  }

  @Test
  void oneFromBeforeTheBootIsNewOneClearAfterReadyIfItsSourceWasHeardOfSince() {
    Instant ready = BOOTED.plusSeconds(120);
    reported("alertmanager", "GPUTimeoutError", minute(-5), ready.minusSeconds(1));
    assertThat(stateAt(minute(60))).isEmpty();

    signals.clear();
    reported("alertmanager", "GPUTimeoutError", minute(-5), ready);
    assertThat(stateAt(minute(11))).isEmpty();
    assertThat(stateAt(minute(60))).isEqualTo("GPUTimeoutError STANDS");
    assertThat(at(minute(60)).standing().getFirst().since()).isEqualTo(ready.plus(CLEAR));
  }

  @Test
  void oneThatNoBootEndsProvesNothingUntilThen() {
    Instant ready = BOOTED.plusSeconds(120);
    reported("alertmanager", "GPUFallenOffBus", minute(-5), ready.minusSeconds(1));
    assertThat(stateAt(minute(60))).isEqualTo("GPUFallenOffBus STALE");

    signals.clear();
    reported("alertmanager", "GPUFallenOffBus", minute(-5), ready);
    assertThat(stateAt(minute(11))).isEqualTo("GPUFallenOffBus STALE");
    assertThat(at(minute(11)).changesAt()).contains(ready.plus(CLEAR));
    assertThat(stateAt(minute(60))).isEqualTo("GPUFallenOffBus STANDS");
  }

  @Test
  void theStrongestComesFirstAndEqualsByName() {
    standing("GPUVeryHot", minute(20));
    standing("GPUFallenOffBus", minute(21));
    standing("DPULinkFlappingCPX", minute(22));

    assertThat(standingAt(minute(30)))
        .containsExactly("GPUFallenOffBus", "DPULinkFlappingCPX", "GPUVeryHot");
  }

  @Test
  void anAliasIsTheAlertItself() {
    standing("DPULinkFlapping", minute(20));

    assertThat(standingAt(minute(30))).containsExactly("DPULinkFlappingCPX");
  }

  @Test
  void severalSignalsAreOneAlertSinceTheFirst() {
    standing("GPUVeryHot", minute(20));
    signals.add(
        new ObservedSignal(
            Signal.standing(new SignalKey("fleet", "gpu1", "GPUVeryHot"), minute(18)),
            minute(18),
            Optional.empty()));

    assertThat(at(minute(30)).standing())
        .singleElement()
        .satisfies(alert -> {
          assertThat(alert.since()).isEqualTo(minute(18));
          assertThat(alert.signals()).hasSize(2);
        });
  }

  @Test
  void anAlertCountsOnceItWasHeld() {
    standing("KubeNodeNotReadyHGX", minute(20));

    assertThat(standingAt(minute(34))).isEmpty();
    assertThat(at(minute(34)).changesAt()).contains(minute(35));
    assertThat(standingAt(minute(35))).containsExactly("KubeNodeNotReadyHGX");
  }

  @Test
  void oneThatEndedBeforeItWasHeldNeverCounts() {
    ended("KubeNodeNotReadyHGX", minute(20), minute(34));

    assertThat(standingAt(minute(34))).isEmpty();
    assertThat(standingAt(minute(36))).isEmpty();
  }

  @Test
  void anAlertIsOverOnceItWasOffForClear() {
    ended("GPUVeryHot", minute(20), minute(25));

    assertThat(at(minute(34)).standing())
        .singleElement()
        .satisfies(alert -> assertThat(alert.state()).isEqualTo(StandingAlert.State.ENDING));
    assertThat(at(minute(34)).changesAt()).contains(minute(25).plus(CLEAR));
    assertThat(standingAt(minute(25).plus(CLEAR))).isEmpty();
  }

  @Test
  void aSignalFromTheFutureHasNoEffectUntilItsTimeComes() {
    Instant ahead = minute(30).plus(HealthSettings.DEFAULTS.skew()).plusSeconds(1);
    signals.add(
        new ObservedSignal(
            Signal.standing(key("GPUVeryHot"), ahead), minute(30), Optional.empty()));

    assertThat(at(minute(30)).standing()).isEmpty();
    assertThat(at(minute(30)).dropped())
        .containsOnly(Map.entry(key("GPUVeryHot"), DropReason.FUTURE));
    assertThat(at(minute(30)).changesAt()).contains(minute(30).plusSeconds(1));
    assertThat(standingAt(minute(30).plusSeconds(1))).containsExactly("GPUVeryHot");
  }

  @Test
  void anAlertFromBeforeTheBootThatIsReplayedAfterItIsDropped() {
    signals.add(
        new ObservedSignal(
            Signal.standing(key("GPUTimeoutError"), BOOTED.minusSeconds(60)),
            minute(5),
            Optional.empty()));

    assertThat(at(minute(5)).standing()).isEmpty();
    assertThat(at(minute(5)).dropped())
        .containsOnly(Map.entry(key("GPUTimeoutError"), DropReason.STALE));
  }

  @Test
  void oneThatStillFiresOneClearAfterTheNodeWasReadyIsNew() {
    signals.add(
        new ObservedSignal(
            Signal.standing(key("GPUTimeoutError"), BOOTED.minusSeconds(60)),
            minute(5),
            Optional.empty()));
    Instant anew = BOOTED.plusSeconds(120).plus(CLEAR);

    assertThat(at(anew.minusSeconds(1)).standing()).isEmpty();
    assertThat(at(anew.minusSeconds(1)).changesAt()).contains(anew);
    assertThat(at(anew).standing())
        .singleElement()
        .satisfies(alert -> assertThat(alert.since()).isEqualTo(anew));
  }

  @Test
  void oneThatEndedMeanwhileIsNot() {
    signals.add(
        new ObservedSignal(
            Signal.standing(key("GPUTimeoutError"), BOOTED.minusSeconds(60)).endedAt(minute(6)),
            minute(5),
            Optional.of(minute(6))));

    assertThat(standingAt(minute(15))).isEmpty();
  }

  @Test
  void oneThatNamesAnEarlierBootIsDroppedForGood() {
    signals.add(
        new ObservedSignal(
            new Signal(
                key("GPUTimeoutError"),
                minute(4),
                Optional.empty(),
                "boot-1",
                "",
                "late",
                Optional.empty()),
            minute(5),
            Optional.empty()));

    assertThat(standingAt(minute(5))).isEmpty();
    assertThat(standingAt(minute(600))).isEmpty();
  }

  @Test
  void oneThatNamesThePresentBootCountsWhateverTheClocksSay() {
    signals.add(
        new ObservedSignal(
            new Signal(
                key("GPUTimeoutError"),
                BOOTED.minusSeconds(60),
                Optional.empty(),
                "boot-2",
                "",
                "",
                Optional.empty()),
            minute(5),
            Optional.empty()));

    assertThat(standingAt(minute(5))).containsExactly("GPUTimeoutError");
  }

  @Test
  void anAlertThatStoodBeforeTheBootIsOverOneClearAfterIt() {
    standing("GPUTimeoutError", BOOTED.minusSeconds(600));
    boot = new ObservedBoot("boot-2", Optional.of(BOOTED), BOOTED, Optional.empty());

    assertThat(at(minute(9)).standing())
        .singleElement()
        .satisfies(alert -> assertThat(alert.state()).isEqualTo(StandingAlert.State.ENDING));
    assertThat(standingAt(minute(10))).isEmpty();
  }

  @Test
  void aBootDoesNotEndWhatItCannotHeal() {
    standing("NodeMemoryError", BOOTED.minusSeconds(600));

    assertThat(at(minute(30)).standing())
        .singleElement()
        .satisfies(alert -> {
          assertThat(alert.state()).isEqualTo(StandingAlert.State.STANDS);
          assertThat(alert.since()).isEqualTo(BOOTED.minusSeconds(600));
        });
  }

  @Test
  void anUnknownNameIsWatchedAndKnownToBeUnknown() {
    standing("SomethingNew", minute(20));

    assertThat(at(minute(21)).standing())
        .singleElement()
        .satisfies(alert -> assertThat(alert.alert().isKnown()).isFalse());
  }
}
