package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostId;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a notification changes, by what is stored (decisions D276 to D279, and D32). */
class NotificationPlanTest {
  private static final String T0 = "2026-11-26T18:00:00Z";
  private static final String T1 = "2026-11-26T18:01:00Z";
  private static final String T2 = "2026-11-26T18:02:00Z";
  private static final String T3 = "2026-11-26T18:03:00Z";
  private static final HostId HOST = new HostId("g1c1095", "uid-1");
  private static final SignalKey KEY = new SignalKey("alertmanager", "gpu3", "GPUVeryHot");
  private static final String[] LABELS = {"alertname=GPUVeryHot", "node=g1c1095", "gpu=3"};

  private final HostNames names = new HostNames();
  private final StoredSignals stored = new StoredSignals();
  private long version;

  @BeforeEach
  void aHost() {
    names.seen(HOST, "S4711");
  }

  private NotificationPlan plan(String... alerts) {
    return NotificationPlan.of(
        Bodies.alerts(alerts), names::find, stored::about, Instant.parse("2026-11-26T19:00:00Z"));
  }

  private Optional<Signal> change(String... alerts) {
    return Optional.ofNullable(plan(alerts).changes().get(HOST)).map(all -> all.get(KEY));
  }

  private void store(Signal... signals) {
    version++;
    stored.observed(
        new HostSignals(
            HOST.name(), "object", Optional.of(HOST.uid()), version, List.of(signals), 0));
  }

  private static Signal stands(String since) {
    return Signal.standing(KEY, Instant.parse(since));
  }

  private static Signal over(String since, String end) {
    return stands(since).endedAt(Instant.parse(end));
  }

  @Test
  void aFirstAlertIsASignalOfTheHost() {
    String[] labels = {
      "alertname=GPUVeryHot", "node=g1c1095", "gpu=3", "severity=critical", "job=dcgm"
    };

    Signal signal = change(Bodies.firing("2026-11-26T18:00:00.987654321Z", labels)).orElseThrow();

    assertThat(signal)
        .isEqualTo(
            new Signal(
                KEY,
                Instant.parse(T0),
                Optional.empty(),
                "",
                "critical",
                "Xid 79 on GPU 3",
                Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "node=g1c1095, true",
    "instance=g1c1095, true",
    "instance=g1c1095:9100, true",
    "host=g1c1095, true",
    "Hostname=g1c1095, true",
    "serial=S4711, true",
    "serial=g1c1095, false",
    "node=S4711, false",
    "node=G1C1095, false",
    "instance=g1c1095.example.com:9100, false",
    "hostname=g1c1095, false",
  })
  void theMachineIsNamedByOneOfTheseLabels(String label, boolean found) {
    assertThat(plan(Bodies.firing(T0, "alertname=A", label)).changes().containsKey(HOST))
        .isEqualTo(found);
  }

  @Test
  void theFirstLabelThatIsThereDecidesEvenIfThereIsNoHostOfThatName() {
    names.seen(new HostId("g2", "uid-2"), "");

    NotificationPlan plan =
        plan(Bodies.firing(T0, "alertname=A", "node=absent", "instance=g2:9100"));

    assertThat(plan.changes()).isEmpty();
    assertThat(plan.outcomes()).isEqualTo(Map.of(AlertOutcome.UNKNOWN_MACHINE, 1));
  }

  @Test
  void anAlertOnDcgmExporterNamesItsMachineByHostnameNotByTheAddressOfItsPod() {
    NotificationPlan plan =
        plan(
            Bodies.firing(
                T0, "alertname=A", "instance=10.4.7.21:9400", "Hostname=g1c1095", "gpu=3"));

    assertThat(plan.changes()).containsOnlyKeys(HOST);
  }

  @ParameterizedTest
  @CsvSource({
    "component=nic0, alertmanager.nic0.A",
    "gpu=3, alertmanager.gpu3.A",
    "gpu=GPU-8a1b, alertmanager.GPU-8a1b.A",
    "device=/dev/nvme0n1, alertmanager.dev_nvme0n1.A",
    "device=___, alertmanager.host.A",
    "job=dcgm, alertmanager.host.A",
  })
  void thePartIsNamedByOneOfTheseLabels(String label, String key) {
    assertThat(plan(Bodies.firing(T0, "alertname=A", "node=g1c1095", label)).changes().get(HOST))
        .containsOnlyKeys(SignalKey.parse(key).orElseThrow());
  }

  @ParameterizedTest
  @CsvSource({
    "GPU very hot!, alertmanager.host.GPU_very_hot_",
    "a.b/c, alertmanager.host.a_b_c",
    "-dash, alertmanager.host._dash",
  })
  void aNameThatNoKeyMayHaveIsChangedAndNotLost(String name, String key) {
    assertThat(plan(Bodies.firing(T0, "alertname=" + name, "node=g1c1095")).changes().get(HOST))
        .containsOnlyKeys(SignalKey.parse(key).orElseThrow());
  }

  @Test
  void whatHasNoEffectIsCountedByItsReason() {
    NotificationPlan plan =
        plan(
            Bodies.firing(T0, "alertname=A", "job=dcgm"),
            Bodies.firing(T0, "alertname=A", "node=absent"),
            Bodies.firing(T0, "alertname=B", "node=absent"),
            Bodies.firing(T0, "node=g1c1095"),
            Bodies.firing("2026-11-26T19:00:01Z", LABELS));

    assertThat(plan.changes()).isEmpty();
    assertThat(plan.outcomes())
        .isEqualTo(
            Map.of(
                AlertOutcome.NO_MACHINE, 1,
                AlertOutcome.UNKNOWN_MACHINE, 2,
                AlertOutcome.UNNAMED, 1,
                AlertOutcome.FUTURE, 1));
  }

  @Test
  void aRepeatChangesNothingWhateverItsTextsAre() {
    store(stands(T0));

    NotificationPlan plan = plan(Bodies.firing("2026-11-26T18:00:00.5Z", LABELS));

    assertThat(plan.changes()).isEmpty();
    assertThat(plan.outcomes()).isEqualTo(Map.of(AlertOutcome.UNCHANGED, 1));
  }

  @Test
  void aResolvedAlertEndsItsSignalOnce() {
    store(stands(T0));
    String resolved = Bodies.resolved(T0, T2, LABELS);

    assertThat(change(resolved).orElseThrow().ended()).contains(Instant.parse(T2));

    store(over(T0, T2));
    assertThat(change(resolved)).isEmpty();
  }

  @Test
  void whatIsOverIsSoWhateverTheClockOfItsSourceIs() {
    store(stands(T0));

    assertThat(change(Bodies.resolved(T0, "2026-11-26T23:00:00Z", LABELS)).orElseThrow().ended())
        .contains(Instant.parse("2026-11-26T19:00:00Z"));
  }

  @Test
  void aResolvedAlertThatWasNeverStoredIsStored() {
    // Another replica may have stored a moment ago that it stands.
    assertThat(change(Bodies.resolved(T0, T2, LABELS)).orElseThrow().stands()).isFalse();
  }

  @Test
  void anAlertOfAnEarlierOccurrenceThanTheOneThatStandsChangesNothing() {
    store(stands(T2));

    assertThat(change(Bodies.firing(T0, LABELS))).isEmpty();
    assertThat(change(Bodies.resolved(T0, T1, LABELS))).isEmpty();
    // Alertmanager may have joined both occurrences to one since the first.
    assertThat(change(Bodies.resolved(T0, T3, LABELS))).isPresent();
  }

  @Test
  void aLaterOccurrenceIsStoredWhetherTheEndOfTheEarlierOneWasOrNot() {
    store(stands(T0));
    assertThat(change(Bodies.firing(T1, LABELS)).orElseThrow().since()).isEqualTo(T1);

    store(over(T0, T1));
    assertThat(change(Bodies.firing(T2, LABELS))).isPresent();
    // As after a Prometheus that could not send for a while: it is the same occurrence.
    assertThat(change(Bodies.firing(T0, LABELS))).isPresent();
  }

  @Test
  void ofTwoAlertsWithOneKeyTheSignalStandsAsLongAsOneOfThemDoes() {
    String first = Bodies.firing(T0, LABELS);
    String second = Bodies.firing(T1, LABELS);

    assertThat(change(second, first).orElseThrow().since()).isEqualTo(T0);
    assertThat(change(Bodies.resolved(T0, T2, LABELS), second).orElseThrow().stands()).isTrue();
    assertThat(
            change(Bodies.resolved(T0, T2, LABELS), Bodies.resolved(T1, T3, LABELS))
                .orElseThrow()
                .ended())
        .contains(Instant.parse(T3));
    assertThat(plan(first, second).alerts()).isEqualTo(Map.of(HOST, Map.of(KEY, 2)));
  }

  @Test
  void whatIsStoredAboutAnEarlierHostOfTheNameDoesNotCount() {
    stored.observed(
        new HostSignals(HOST.name(), "old", Optional.of("uid-0"), 9, List.of(stands(T0)), 0));

    assertThat(change(Bodies.firing(T0, LABELS))).isPresent();
  }

  @Test
  void signalsOfOtherSourcesAreNotOurs() {
    Signal other =
        Signal.standing(new SignalKey("monitor", "gpu3", "GPUVeryHot"), Instant.parse(T0));
    store(other);

    assertThat(change(Bodies.firing(T0, LABELS))).isPresent();
  }
}
