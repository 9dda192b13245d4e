package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.health.DropReason;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.SignalSource;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.Given;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests how what is reported about machines reaches their snapshots and the metrics. */
class HealthTableTest {
  private static final SignalKey HOT = new SignalKey("alertmanager", "gpu1", "GPUVeryHot");
  private static final SignalKey NEW = new SignalKey("alertmanager", "host", "SomethingNew");

  private final Host host = Given.running("g1");
  private Instant now = host.report().since().plus(Duration.ofHours(1));
  private final ClusterState state = ClusterStates.empty(() -> now);
  private long version = 1000;

  @BeforeEach
  void listed() {
    see(new Observation.HostSeen(host));
    state.completed();
  }

  private Set<ReconcileKey> see(Observation seen) {
    return state.fold(seen, ClusterState.Source.WATCH);
  }

  private Set<ReconcileKey> report(String uid, Optional<String> hostUid, Signal... signals) {
    return see(
        new Observation.SignalsSeen(
            new HostSignals("g1", uid, hostUid, ++version, List.of(signals), 0)));
  }

  private List<String> standing() {
    return state.snapshots().machine("g1").orElseThrow().health().standing().stream()
        .map(StandingAlert::name)
        .toList();
  }

  @Test
  void whatIsReportedWakesItsMachineAndIsInItsSnapshot() {
    assertThat(report("s1", Optional.empty(), Signal.standing(HOT, now)))
        .containsExactly(new ReconcileKey.OfMachine("g1"));
    assertThat(standing()).containsExactly("GPUVeryHot");
    assertThat(state.health().counts())
        .containsExactly(Map.entry(new HealthTable.Counted("GPUVeryHot", Grade.WATCH), 1));
  }

  private Set<ReconcileKey> beat(Instant at) {
    return see(new Observation.SourceSeen(new SignalSource("alertmanager", "u", ++version, at)));
  }

  private StandingAlert.State state() {
    return state.snapshots().machine("g1").orElseThrow().health().standing().getFirst().state();
  }

  private Set<ReconcileKey> after(Duration duration) {
    now = now.plus(duration);
    return state.advance();
  }

  @Test
  void aHeartbeatKeepsWhatItsSourceReportedAlive() {
    Signal signal = Signal.standing(HOT, now).withReported(Optional.of(now));
    report("s1", Optional.empty(), signal);
    after(Duration.ofHours(11));
    beat(now);
    after(Duration.ofHours(11));
    assertThat(state()).isEqualTo(StandingAlert.State.STANDS);
    assertThat(after(Duration.ofHours(1))).contains(new ReconcileKey.OfMachine("g1"));
    assertThat(state()).isEqualTo(StandingAlert.State.STALE);

    assertThat(beat(now)).contains(new ReconcileKey.OfMachine("g1"));
    assertThat(state()).isEqualTo(StandingAlert.State.STANDS);
    assertThat(see(new Observation.SourceGone("alertmanager", "u", ++version)))
        .contains(new ReconcileKey.OfMachine("g1"));
    assertThat(state()).isEqualTo(StandingAlert.State.STALE);
  }

  @Test
  void aHeartbeatOfAnotherSourceOrAheadOfTheClockIsNone() {
    Instant old = now.minus(Duration.ofHours(13));
    report("s1", Optional.empty(), Signal.standing(HOT, now).withReported(Optional.of(old)));
    see(new Observation.SourceSeen(new SignalSource("dcgm", "v", ++version, now)));
    beat(now.plus(Duration.ofMinutes(6)));
    assertThat(state()).isEqualTo(StandingAlert.State.STALE);

    beat(now.plus(Duration.ofMinutes(4)));
    assertThat(state()).isEqualTo(StandingAlert.State.STANDS);
  }

  @Test
  void whatNamesAnotherHostOfTheNameDoesNotCount() {
    report("s1", Optional.of("another-uid"), Signal.standing(HOT, now));
    assertThat(standing()).isEmpty();
    report("s1", Optional.of(host.id().uid()), Signal.standing(HOT, now));
    assertThat(standing()).containsExactly("GPUVeryHot");
  }

  @Test
  void whatArrivesBeforeItsHostCountsOnceThatIsKnown() {
    see(new Observation.HostGone(host.id(), host.version()));
    assertThat(report("s1", Optional.empty(), Signal.standing(HOT, now))).isEmpty();
    see(new Observation.HostSeen(host.withVersion(host.version() + 1)));
    assertThat(standing()).containsExactly("GPUVeryHot");
  }

  @Test
  void anOlderStateOfTheObjectIsNoNews() {
    report("s1", Optional.empty());
    version -= 2;
    assertThat(report("s1", Optional.empty(), Signal.standing(HOT, now))).isEmpty();
    assertThat(standing()).isEmpty();
  }

  @Test
  void itIsOverOneClearAfterItsObjectWasDeletedAndTheCountsWithIt() {
    report("s1", Optional.empty(), Signal.standing(HOT, now));
    see(new Observation.SignalsGone("g1", "s1", ++version));
    now = now.plus(Duration.ofMinutes(10)).minusSeconds(1);
    state.advance();
    assertThat(standing()).containsExactly("GPUVeryHot");

    now = now.plusSeconds(1);
    assertThat(state.advance()).contains(new ReconcileKey.OfMachine("g1"));
    assertThat(standing()).isEmpty();
    assertThat(state.health().counts()).isEmpty();
  }

  @Test
  void oneThatWasOverBeforeItIsSeenStandsUntilOneClearAfterItsOwnEnd() {
    Signal over = Signal.standing(HOT, now.minusSeconds(1800));
    report("s1", Optional.empty(), over.endedAt(now.minusSeconds(900)));
    assertThat(standing()).isEmpty();
    assertThat(state.health().counts()).isEmpty();

    report("s1", Optional.empty());
    Signal recent =
        new Signal(
            SignalKey.parse("dcgm.host.GPUVeryHot").orElseThrow(),
            over.since(),
            Optional.of(now.minusSeconds(300)),
            "",
            "",
            "",
            Optional.empty());
    report("s1", Optional.empty(), recent);
    assertThat(standing()).containsExactly("GPUVeryHot");
    now = now.plusSeconds(300);
    state.advance();
    assertThat(standing()).isEmpty();
  }

  @Test
  void nothingIsCountedOfAHostThatIsGone() {
    report("s1", Optional.empty(), Signal.standing(HOT, now));
    see(new Observation.HostGone(host.id(), host.version()));
    assertThat(state.health().counts()).isEmpty();
  }

  @Test
  void namesThatNobodyKnowsCountAsOne() {
    report(
        "s1",
        Optional.empty(),
        Signal.standing(NEW, now),
        Signal.standing(new SignalKey("alertmanager", "host", "SomethingElse"), now));
    assertThat(state.health().counts())
        .containsExactly(Map.entry(new HealthTable.Counted("unknown", Grade.WATCH), 2));
  }

  @Test
  void eachDroppedSignalIsCountedOnce() {
    Signal stale =
        Signal.standing(
            new SignalKey("alertmanager", "gpu1", "GPUTimeoutError"),
            host.report().since().minusSeconds(60));
    report("s1", Optional.empty(), stale);
    report("s1", Optional.empty(), stale, Signal.standing(HOT, now));
    assertThat(state.health().dropped()).containsExactly(Map.entry(DropReason.STALE, 1));
  }

  @Test
  void anotherCatalogueCountsAtOnce() {
    report("s1", Optional.empty(), Signal.standing(HOT, now));
    see(
        new Observation.CatalogueSeen(
            AlertCatalogue.shipped()
                .changedBy("alerts.yaml", "alerts: {GPUVeryHot: {grade: manual}}")));
    assertThat(state.health().counts())
        .containsExactly(Map.entry(new HealthTable.Counted("GPUVeryHot", Grade.MANUAL), 1));
  }
}
