package io.nodepool.simulated;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.Fixtures;
import io.nodepool.simulated.Reclaims.ReclaimRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests when the data centre wants a machine back, and for how long. */
class ReclaimsTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration WINDOW = Duration.ofMinutes(7);
  private static final Reclaims.Wish NOTHING =
      new Reclaims.Wish(true, new ReclaimRequest.None(), false);
  private static final Reclaims.Wish NEEDED =
      new Reclaims.Wish(true, new ReclaimRequest.None(), true);

  private static Reclaims reclaims(int perDay, DataCentre.ScriptedReclaim... script) {
    return new Reclaims(dataCentre(perDay, script), START);
  }

  private static DataCentre dataCentre(int perDay, DataCentre.ScriptedReclaim... script) {
    return new DataCentre(
        new DataCentre.Site("US-EAST-04A", "US-EAST-04", "org"),
        11,
        List.of(new DataCentre.Rack("1", Fixtures.TYPE, 4)),
        new DataCentre.Terms(new TreeMap<>(), new TreeSet<>(), List.of(), new TreeMap<>()),
        new DataCentre.Timings(Duration.ZERO, Duration.ZERO, Duration.ZERO),
        DataCentre.Mishaps.NONE.withReclaims(List.of(script)).withReclaimsPerDay(perDay));
  }

  private static DataCentre.ScriptedReclaim script(int after, int withdrawAfter) {
    return new DataCentre.ScriptedReclaim(
        "g1",
        Duration.ofMinutes(after),
        withdrawAfter == 0 ? Optional.empty() : Optional.of(Duration.ofMinutes(withdrawAfter)));
  }

  /**
   * @param computeClass the class of the pool that holds it; empty text if none does
   */
  private static Host host(String name, int tenancy, String computeClass) {
    Optional<Assignment> assignment =
        computeClass.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new Assignment(
                    new PoolId("a", "u"), computeClass, "op", START, NodeTemplate.EMPTY));
    return Fixtures.host(
        new HostId(name, "uid-" + name),
        new Host.Occupancy(tenancy, assignment, "c", Host.Power.ON),
        new Host.Report(
                computeClass.isEmpty() ? HostPhase.FREE : HostPhase.RUNNING,
                tenancy,
                "b",
                "c",
                START)
            .withSpot(Host.Spot.OFFERED));
  }

  private static Host host(String computeClass) {
    return host("g1", 1, computeClass);
  }

  private static Host noticed(Host host, Reclaim notice) {
    return host.withReport(
        host.report().withSpot(host.report().spot().withReclaim(Optional.of(notice))));
  }

  private static Reclaim notice(Reclaims.Cause cause, Instant at) {
    return new Reclaim(at, at.plus(WINDOW), cause.reason());
  }

  private static Instant minute(long minutes) {
    return START.plus(Duration.ofMinutes(minutes));
  }

  private static Optional<Reclaim> decided(
      Reclaims reclaims, Host host, Reclaims.Wish wish, Instant now) {
    return reclaims.decide(host, wish, now).spot().reclaim();
  }

  private static Reclaims.Wish requested(ReclaimRequest request) {
    return new Reclaims.Wish(true, request, false);
  }

  @Test
  void aQuietDataCentreWantsNothingBack() {
    Reclaims.Decision decision = reclaims(0).decide(host("spot"), NOTHING, minute(9));

    assertThat(decision.spot()).isEqualTo(Host.Spot.OFFERED);
    assertThat(decision.wakeup()).isEmpty();
    assertThat(
            reclaims(0)
                .decide(
                    host(""), new Reclaims.Wish(false, new ReclaimRequest.None(), false), minute(9))
                .spot())
        .isEqualTo(Host.Spot.NOT_OFFERED);
  }

  @Test
  void anAnnotationAnnouncesANoticeOnceAndItsRemovalWithdrawsIt() {
    Reclaims reclaims = reclaims(0);
    Reclaims.Wish wish = requested(new ReclaimRequest.Wanted(Optional.empty()));
    Reclaim announced = decided(reclaims, host("spot"), wish, minute(9)).orElseThrow();

    assertThat(announced).isEqualTo(notice(Reclaims.Cause.REQUESTED, minute(9)));
    Host host = noticed(host("spot"), announced);
    assertThat(decided(reclaims, host, wish, minute(12))).contains(announced);
    assertThat(decided(reclaims, host, requested(new ReclaimRequest.Garbled()), minute(12)))
        .contains(announced);
    assertThat(decided(reclaims, host("spot"), requested(new ReclaimRequest.Garbled()), minute(12)))
        .isEmpty();
    assertThat(decided(reclaims, host, NOTHING, minute(12))).isEmpty();
  }

  @Test
  void anotherWindowMovesTheEndAndNotTheBeginning() {
    Reclaims.Wish wish = requested(new ReclaimRequest.Wanted(Optional.of(Duration.ofMinutes(3))));
    Host host = noticed(host("spot"), notice(Reclaims.Cause.REQUESTED, minute(9)));

    assertThat(decided(reclaims(0), host, wish, minute(10)))
        .contains(new Reclaim(minute(9), minute(12), Reclaims.Cause.REQUESTED.reason()));
  }

  @Test
  void aMachineOfAnOnDemandPoolIsNeverWantedBack() {
    Reclaims reclaims = reclaims(100_000, script(0, 0));
    Reclaims.Wish all = new Reclaims.Wish(true, new ReclaimRequest.Wanted(Optional.empty()), true);

    assertThat(decided(reclaims, host("default"), all, minute(5))).isEmpty();
    for (Reclaims.Cause cause : Reclaims.Cause.values()) {
      Host host = noticed(host("default"), notice(cause, minute(4)));
      assertThat(decided(reclaims, host, all, minute(5))).isEmpty();
    }
  }

  @Test
  void aNoticeOfAnotherClientStays() {
    Reclaim foreign = new Reclaim(minute(1), minute(2), "maintenance");

    for (String computeClass : List.of("spot", "default", "")) {
      assertThat(decided(reclaims(9), noticed(host(computeClass), foreign), NEEDED, minute(9)))
          .contains(foreign);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // script: after, withdrawn after (0 = not); recorded notice of minute, holder, now | notice
    "5, 0, , spot, 4, false",
    "5, 0, , spot, 5, true",
    "5, 0, , '', 5, true",
    // A data centre that was down announces it later, but not much later.
    "5, 0, , spot, 11, true",
    "5, 0, , spot, 12, false",
    // While the spot pool holds it the notice stands; then one window after its end.
    "5, 0, 5, spot, 99, true",
    "5, 0, 5, '', 18, true",
    "5, 0, 5, '', 19, false",
    "5, 3, 5, spot, 7, true",
    "5, 3, 5, spot, 8, false",
    "5, 3, , spot, 8, false",
  })
  void aScriptedNoticeIsAFunctionOfTheTimeAndTheHost(
      int after, int withdrawn, Long recorded, String holder, long now, boolean announced) {
    Host host = host(holder);
    if (recorded != null) {
      host = noticed(host, notice(Reclaims.Cause.SCRIPTED, minute(recorded)));
    }

    assertThat(decided(reclaims(0, script(after, withdrawn)), host, NOTHING, minute(now)))
        .isEqualTo(
            announced
                ? Optional.of(
                    notice(Reclaims.Cause.SCRIPTED, minute(recorded == null ? now : recorded)))
                : Optional.empty());
  }

  @Test
  void aScriptWakesTheMachineWhenItChanges() {
    Reclaims reclaims = reclaims(0, script(5, 0));
    Host free = noticed(host(""), notice(Reclaims.Cause.SCRIPTED, minute(5)));

    assertThat(reclaims.decide(host("spot"), NOTHING, START).wakeup()).contains(minute(5));
    assertThat(reclaims.decide(free, NOTHING, minute(6)).wakeup()).contains(minute(19));
  }

  @Test
  void chanceFollowsTheSeedTheMachineAndItsTenancyAndTheRateIsKept() {
    Reclaims reclaims = reclaims(24);
    List<Duration> times =
        IntStream.range(0, 2000)
            .mapToObj(tenancy -> {
              Host host = host("g1", tenancy, "spot");
              Instant at = reclaims.decide(host, NOTHING, START).wakeup().orElseThrow();
              assertThat(decided(reclaims, host, NOTHING, at.minusMillis(1))).isEmpty();
              assertThat(decided(reclaims(24), host, NOTHING, at))
                  .contains(notice(Reclaims.Cause.CHANCE, at));
              return Duration.between(START, at);
            })
            .toList();

    double mean = times.stream().mapToLong(Duration::toSeconds).average().orElseThrow();
    assertThat(mean).isBetween(3300.0, 3900.0);
    assertThat(times).doesNotHaveDuplicates();
  }

  @Test
  void chanceReclaimsOnlyMachinesThatRunForASpotPool() {
    Host booting = host("spot");
    booting =
        booting.withReport(
            new Host.Report(HostPhase.FREE, 0, "", "", START).withSpot(Host.Spot.OFFERED));

    assertThat(decided(reclaims(100_000), booting, NOTHING, minute(99))).isEmpty();
    assertThat(decided(reclaims(100_000), host(""), NOTHING, minute(99))).isEmpty();
    assertThat(decided(reclaims(100_000), host("spot"), NOTHING, minute(99))).isPresent();
  }

  @Test
  void aMachineThatAnOnDemandPoolNeedsIsWantedBackAsLongAsItIsNeeded() {
    Reclaims reclaims = reclaims(0);
    Reclaim announced = notice(Reclaims.Cause.ON_DEMAND, minute(1));

    assertThat(decided(reclaims, host("spot"), NEEDED, minute(1))).contains(announced);
    assertThat(decided(reclaims, host(""), NEEDED, minute(1))).isEmpty();
    for (String holder : List.of("spot", "")) {
      Host host = noticed(host(holder), announced);
      assertThat(decided(reclaims, host, NEEDED, minute(30))).contains(announced);
      assertThat(decided(reclaims, host, NOTHING, minute(30))).isEmpty();
    }
  }

  @Test
  void aCauseThatTakesOverFromAnotherKeepsTheTimesOfTheNotice() {
    Host host = noticed(host("spot"), notice(Reclaims.Cause.ON_DEMAND, minute(4)));

    assertThat(decided(reclaims(0, script(5, 0)), host, NOTHING, minute(6)))
        .contains(notice(Reclaims.Cause.SCRIPTED, minute(4)));
  }

  @Test
  void speedDividesAllTimesAndMultipliesTheRate() {
    DataCentre fast = dataCentre(3, script(20, 10)).faster(10);

    assertThat(fast.timings().reclaimWindow()).isEqualTo(Duration.ofSeconds(42));
    assertThat(fast.mishaps().reclaims()).containsExactly(script(2, 1));
    assertThat(fast.mishaps().reclaimsPerDay()).isEqualTo(30);
  }
}
