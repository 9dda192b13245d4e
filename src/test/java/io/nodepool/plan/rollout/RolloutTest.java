package io.nodepool.plan.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which Nodes have their turn, one letter for each Node: {@link RolloutFixture}. */
class RolloutTest {
  private static final Instant NOW = RolloutFixture.NOW;

  /** The Nodes of actions of this kind, in the order of the actions; - for none. */
  private static String nodes(Rollout.Outlook outlook, NodePurpose change) {
    String names =
        outlook.plannedActions().stream()
            .map(PlannedAction::action)
            .map(Action.WriteNode.class::cast)
            .filter(action -> action.purpose() == change)
            .map(Action.WriteNode::node)
            .collect(Collectors.joining(" "));
    return names.isEmpty() ? "-" : names;
  }

  @ParameterizedTest
  @CsvSource({
    // Nodes, limit | begun, withdrawn, progress
    "oo,         1, 10,       -, '0 of 2 nodes up to date, 0 unavailable of at most 1.'",
    "no,         1, 11,       -, '1 of 2 nodes up to date, 0 unavailable of at most 1.'",
    "to,         1, -,        -, '0 of 2 nodes up to date, 1 unavailable of at most 1.'",
    "so,         1, -,        -, '0 of 2 nodes up to date, 1 unavailable of at most 1.'",
    "To,         1, -,        -, '0 of 2 nodes up to date, 1 unavailable of at most 1.'",
    "eo,         1, -,        -, '1 of 2 nodes up to date, 1 unavailable of at most 1.'",
    "oooooo,     3, 10 11 12, -, '0 of 6 nodes up to date, 0 unavailable of at most 3.'",
    "bbobob,     3, 12 14,    -, '0 of 6 nodes up to date, 0 unavailable of at most 3, 4 busy.'",
    "bbb,        1, -,        -, '0 of 3 nodes up to date, 0 unavailable of at most 1, 3 busy.'",
    "xooo,       2, 10 11,    -, '0 of 4 nodes up to date, 1 unavailable of at most 2.'",
    "xooo,       1, 10,       -, '0 of 4 nodes up to date, 1 unavailable of at most 1.'",
    "xxxo,       1, 10,       -, '0 of 4 nodes up to date, 3 unavailable of at most 1.'",
    "xxxo,       2, 10 11,    -, '0 of 4 nodes up to date, 3 unavailable of at most 2.'",
    "xxxoo,      4, 10 11 12 13, -, '0 of 5 nodes up to date, 3 unavailable of at most 4.'",
    "Txoo,       2, 11,       -, '0 of 4 nodes up to date, 2 unavailable of at most 2.'",
    "TXxo,       2, -,        -, '0 of 4 nodes up to date, 3 unavailable of at most 2.'",
    "tXxo,       2, -,       10, '0 of 4 nodes up to date, 3 unavailable of at most 2.'",
    "sxoo,       1, -,        -, '0 of 4 nodes up to date, 2 unavailable of at most 1.'",
    "qooo,       1, -,        -, '0 of 4 nodes up to date, 1 unavailable of at most 1.'",
    "cooo,       1, -,        -, '0 of 4 nodes up to date, 1 unavailable of at most 1, 1 cordoned by others.'",
    "cooo,       2, 11,       -, '0 of 4 nodes up to date, 1 unavailable of at most 2, 1 cordoned by others.'",
    "cnnn,       1, -,        -, '3 of 4 nodes up to date, 1 unavailable of at most 1, 1 cordoned by others.'",
    "ooomm,      2, -,        -, '0 of 3 nodes up to date, 2 unavailable of at most 2, 2 gone and not replaced yet.'",
    "ooomm,      3, 10,       -, '0 of 3 nodes up to date, 2 unavailable of at most 3, 2 gone and not replaced yet.'",
    "ooomd,      2, -,        -, '0 of 3 nodes up to date, 2 unavailable of at most 2, 1 gone and not replaced yet.'",
    "tooml,      2, -,       10, '0 of 3 nodes up to date, 3 unavailable of at most 2, 1 gone and not replaced yet.'",
    "xoomm,      2, 10,       -, '0 of 3 nodes up to date, 3 unavailable of at most 2, 2 gone and not replaced yet.'",
    "ooogg,      2, 10 11,    -, '0 of 3 nodes up to date, 0 unavailable of at most 2.'",
    "ooomgg,     2, 10,       -, '0 of 3 nodes up to date, 1 unavailable of at most 2, 1 gone and not replaced yet.'",
    "ooommmmmm,  5, -,        -, '0 of 3 nodes up to date, 6 unavailable of at most 5, 6 gone and not replaced yet.'",
    "pooo,       2, 11,       -, '0 of 3 nodes up to date, 1 unavailable of at most 2.'",
    "looo,       2, 11,       -, '0 of 3 nodes up to date, 1 unavailable of at most 2.'",
    "dooo,       2, 11,       -, '0 of 3 nodes up to date, 1 unavailable of at most 2.'",
    "rooo,       2, 11,       -, '0 of 4 nodes up to date, 1 unavailable of at most 2.'",
    "fooo,       2, 11,       -, '0 of 4 nodes up to date, 1 unavailable of at most 2, 1 that cannot be read.'",
    "kooo,       1, 11,       -, '0 of 4 nodes up to date, 0 unavailable of at most 1, 1 passed over.'",
    "ooopppoo,   5, 10 11,    -, '0 of 5 nodes up to date, 3 unavailable of at most 5.'",
    "tttttpppoo, 5, -, 14 13 12, '0 of 7 nodes up to date, 8 unavailable of at most 5.'",
    "TTTTTpppoo, 5, -,        -, '0 of 7 nodes up to date, 8 unavailable of at most 5.'",
    "TTTttpppoo, 5, -,    14 13, '0 of 7 nodes up to date, 8 unavailable of at most 5.'",
    "BTpo,       1, -,        -, '0 of 2 nodes up to date, 3 unavailable of at most 1.'",
    "uo,         1, -,       10, '1 of 2 nodes up to date, 1 unavailable of at most 1.'",
  })
  void nodesBeginWhileFewEnoughAreUnavailable(
      String nodes, int most, String begun, String withdrawn, String progress) {
    Rollout.Outlook outlook = new RolloutFixture().nodes(nodes).most(most).plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo(begun);
    assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo(withdrawn);
    assertThat(outlook.progress())
        .contains("Rollout of " + RolloutFixture.ACTIVE + ": " + progress);
    assertThat(outlook.next().phase()).isEqualTo(RolloutState.Phase.RUNNING);
  }

  @ParameterizedTest
  @CsvSource({
    // count, percent, Nodes | begun
    "1,  5,   1,  1",
    "1,  5,  39,  1",
    "1,  5,  40,  2",
    "1,  5, 100,  5",
    "5,  0, 100,  5",
    "0, 10,   9,  1",
    "0, 10,  25,  2",
    "0,  0,  25,  1",
    "7,  5, 100,  7",
  })
  void theLimitIsACountOrAPercentageOfTheNodesAndAtLeastOne(
      int count, int percent, int nodes, int begun) {
    Rollout.Outlook outlook =
        new RolloutFixture()
            .nodes("o".repeat(nodes))
            .settings(
                RolloutSettings.DEFAULTS.withMaxUnavailable(
                    new RolloutSettings.Limit(count, percent)))
            .plan();
    assertThat(outlook.plannedActions()).hasSize(begun);
  }

  @ParameterizedTest
  @CsvSource({
    // racks, limit | begun, withdrawn
    "oooo oooo,      1, a0 a1 a2 a3, -",
    "oooo oooo,      2, a0 a1 a2 a3 b0 b1 b2 b3, -",
    "tttt oooo,      1, -, -",
    "TTTT oooo,      1, -, -",
    "nnee oooo,      1, -, -",
    "nnnn oooo,      1, b0 b1 b2 b3, -",
    "ssoo oooo,      1, -, -",
    "ttoo oooo,      1, a2 a3, -",
    "nnoo oooo,      1, a2 a3, -",
    "nnbo oooo,      1, a3, -",
    "nnbb oooo,      1, -, -",
    "nnbb oooo,      2, b0 b1 b2 b3, -",
    // One that was delivered with the configuration does not begin its rack.
    "Nbbb oooo,      1, b0 b1 b2 b3, -",
    "Nooo oooo,      1, a1 a2 a3, -",
    "Nboo oooo,      1, b0 b1 b2 b3, -",
    "Nnbb oooo,      1, -, -",
    // Nor does one that booted it for its repair.
    "Rbbb oooo,      1, b0 b1 b2 b3, -",
    "xRoo xooo,      1, -, -",
    // One that is missing or being delivered takes the place of its rack, and of no other.
    "mbbb oooo,      1, -, -",
    "mbbb oooo,      2, b0 b1 b2 b3, -",
    "mmbb oooo,      2, b0 b1 b2 b3, -",
    "mdbb oooo,      2, b0 b1 b2 b3, -",
    "mooo oooo,      1, a1 a2 a3, -",
    "mnoo oooo,      1, a2 a3, -",
    "mmmm oooo,      1, -, -",
    "mmmm oooo,      2, b0 b1 b2 b3, -",
    "mmmm mooo oooo, 2, b1 b2 b3, -",
    "mmmm mooo oooo, 1, -, -",
    "gggg oooo,      1, b0 b1 b2 b3, -",
    "dbbb oooo,      1, -, -",
    "cooo oooo,      1, -, -",
    "cooo oooo,      2, b0 b1 b2 b3, -",
    "xxxx xxxx oooo, 1, -, -",
    "nnoo nnoo,      1, a2 a3, -",
    "booo oooo,      1, b0 b1 b2 b3, -",
    "booo booo,      1, -, -",
    "xooo oooo,      1, a0 a1 a2 a3, -",
    "xooo xooo,      1, -, -",
    "xbbb oooo,      1, -, -",
    "xooo oooo,      2, a0 a1 a2 a3 b0 b1 b2 b3, -",
    "kooo oooo,      1, b0 b1 b2 b3, -",
    "tttt xooo,      1, -, a0 a1 a2 a3",
    "tTtt xooo,      1, -, -",
  })
  void aRackIsFinishedBeforeTheNextOneBegins(
      String racks, int most, String begun, String withdrawn) {
    Rollout.Outlook outlook = new RolloutFixture().racks(racks).most(most).plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT).split(" ", -1))
        .containsExactlyInAnyOrder(begun.split(" ", -1));
    assertThat(nodes(outlook, NodePurpose.WITHDRAW).split(" ", -1))
        .containsExactlyInAnyOrder(withdrawn.split(" ", -1));
  }

  @ParameterizedTest
  @CsvSource({
    // Nodes, seconds since the canary is up to date (- before) | begun, withdrawn, since, progress
    "oooo, -,   10 11, -,  -,   0 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "Tooo, -,   11,    -,  -,   1 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "soso, -,   -,     -,  -,   2 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "nToo, -,   -,     -,  -,   1 unavailable of at most 3, waiting for 1 of a canary of 2.",
    "nnoo, -,   -,     -,  0,   0 unavailable of at most 3, 'the canary of 2 soaks for 10m, until 2026-01-01T10:10:00Z.'",
    "nnoo, 599, -,     -,  599, 0 unavailable of at most 3, 'the canary of 2 soaks for 10m, until 2026-01-01T10:00:01Z.'",
    "nnoo, 600, -,     -,  600, 0 unavailable of at most 3,",
    "neoo, 300, -,     -,  -,   1 unavailable of at most 3, waiting for 1 of a canary of 2.",
    "nooo, 900, 11,    -,  -,   0 unavailable of at most 3, waiting for 1 of a canary of 2.",
    "TtTo, -,   -,     11, -,   3 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "ntto, -,   -,     12, -,   2 unavailable of at most 3, waiting for 1 of a canary of 2.",
    "Tsto, -,   -,     -,  -,   3 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "nnto, 599, -,     12, 599, 1 unavailable of at most 3, 'the canary of 2 soaks for 10m, until 2026-01-01T10:00:01Z.'",
    "nnto, 600, -,     -,  600, 1 unavailable of at most 3,",
    "tttt, -,   -,  13 12, -,   4 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "xooo, -,   11 12, -,  -,   1 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "xxxo, -,   -,     -,  -,   3 unavailable of at most 3, waiting for 2 of a canary of 2.",
    "nnxo, 599, -,     -,  599, 1 unavailable of at most 3, 'the canary of 2 soaks for 10m, until 2026-01-01T10:00:01Z.'",
    "nnxo, 600, -,     -,  600, 1 unavailable of at most 3,",
  })
  void theCanaryGoesFirst(
      String nodes,
      String since,
      String begun,
      String withdrawn,
      String next,
      String unavailable,
      String waits) {
    RolloutState state =
        RolloutState.NONE
            .started()
            .withCanary(ago(since).map(at -> new RolloutState.Canary(at, Optional.of(NOW))));
    Rollout.Outlook outlook =
        new RolloutFixture()
            .nodes(nodes)
            .state(state)
            .settings(RolloutSettings.DEFAULTS.withCanary(2, Duration.ofMinutes(10)))
            .most(3)
            .plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo(begun);
    assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo(withdrawn);
    assertThat(outlook.next().canary().map(RolloutState.Canary::since)).isEqualTo(ago(next));
    assertThat(outlook.progress().orElseThrow())
        .endsWith(waits == null ? unavailable + "." : unavailable + ", " + waits);
  }

  @Test
  void aCanaryInRacksIsWholeRacks() {
    Rollout.Outlook outlook =
        new RolloutFixture()
            .racks("tttt oooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(2, Duration.ofMinutes(10)))
            .plan();
    assertThat(outlook.plannedActions()).isEmpty();
  }

  @Test
  void noNodeThatIsUnavailableAlreadyIsOfTheCanary() {
    RolloutFixture fixture =
        new RolloutFixture()
            .racks("xooo Txoo oooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(4, Duration.ofMinutes(10)))
            .most(3);
    assertThat(nodes(fixture.plan(), NodePurpose.ADMIT)).isEqualTo("b2 b3 c0 c1 c2 c3");
  }

  private static Optional<Instant> ago(String seconds) {
    return seconds.equals("-")
        ? Optional.empty()
        : Optional.of(NOW.minusSeconds(Long.parseLong(seconds)));
  }

  @Test
  void aSoakEndsByItself() {
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(10)));
    // Recorded in tenths, the last one is its end.
    assertThat(fixture.plan().wakeup()).contains(NOW.plusSeconds(60));
    fixture.state(RolloutState.NONE.started().withCanary(Optional.of(canary(570, 30))));
    assertThat(fixture.plan().wakeup()).contains(NOW.plusSeconds(30));
  }

  private static RolloutState.Canary canary(long since, long seen) {
    return new RolloutState.Canary(NOW.minusSeconds(since), Optional.of(NOW.minusSeconds(seen)));
  }

  @ParameterizedTest
  @CsvSource({
    // seconds ago: canary since, seen, watched by this operator since | since, seen, seconds left
    "300, 30, 900, 300, 30, 300",
    "300, 60, 900, 300,  0, 300",
    "300, 60,  60, 300,  0, 300",
    "300, 60,  20, 260,  0, 340",
    "300, 60,   0, 240,  0, 360",
    "599, 60,   0, 539,  0, 61",
    // Nobody has watched since it began.
    "599, 599,  0,   0,  0, 600",
    // The clock of the operator before was fast, or that of this one was set back.
    "300, -60, 20, 300, -60, 300",
  })
  void onlyTimeThatSomebodyWatchedCountsForTheSoak(
      long since, long seen, long watched, long nextSince, long nextSeen, long left) {
    Rollout.Outlook outlook =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(10)))
            .state(RolloutState.NONE.started().withCanary(Optional.of(canary(since, seen))))
            .watchedSince(NOW.minusSeconds(watched))
            .plan();
    assertThat(outlook.next().canary()).contains(canary(nextSince, nextSeen));
    assertThat(outlook.progress().orElseThrow())
        .endsWith("the canary of 1 soaks for 10m, until %s.".formatted(NOW.plusSeconds(left)));
    assertThat(outlook.plannedActions()).isEmpty();
  }

  @Test
  void whatIsPublishedIsNotCountedAgain() {
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(10)))
            .state(RolloutState.NONE.started().withCanary(Optional.of(canary(300, 60))))
            .watchedSince(NOW.minusNanos(1));
    RolloutState next = fixture.plan().next();
    assertThat(fixture.state(next).plan(NOW.plusSeconds(5)).next()).isEqualTo(next);
  }

  @Test
  void aRecordThatIsDroppedIsNotWrittenAgainAndAgain() {
    RolloutState.Canary dropped = new RolloutState.Canary(NOW.minusSeconds(300), Optional.empty());
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(10)))
            .state(RolloutState.NONE.started().withCanary(Optional.of(dropped)));
    assertThat(fixture.plan().next().canary()).contains(dropped);
    assertThat(fixture.plan().wakeup()).contains(NOW.plusSeconds(300));
    // An operator that began later counts from then on.
    assertThat(fixture.watchedSince(NOW).plan().next().canary())
        .contains(RolloutState.Canary.begun(NOW));
  }

  @Test
  void aRolloutThatDoesNotGoOnChecksNoCanary() {
    RolloutState soaks = RolloutState.NONE.started().withCanary(Optional.of(canary(300, 0)));
    for (RolloutState state : List.of(soaks.stopped(), soaks.paused("Why."))) {
      assertThat(new RolloutFixture().nodes("nooo").state(state).plan().next())
          .isEqualTo(state.withCanary(Optional.empty()));
    }
  }

  @Test
  void aFasterOperatorSoaksForAsMuchLess() {
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(30)))
            .speed(60);
    Rollout.Outlook outlook = fixture.plan();
    assertThat(outlook.progress().orElseThrow())
        .endsWith("the canary of 1 soaks for 30s, until 2026-01-01T10:00:30Z.");
    assertThat(outlook.wakeup()).contains(NOW.plusSeconds(3));
    assertThat(fixture.state(outlook.next()).plan(NOW.plusSeconds(29)).soaked()).isFalse();
    assertThat(fixture.plan(NOW.plusSeconds(30)).soaked()).isTrue();
  }

  @Test
  void aSoakIsNeverShorterThanWasAsked() {
    Duration soak = Duration.ofMinutes(10);
    for (int nanos : List.of(0, 1, 499_999, 500_000, 999_999)) {
      Instant now = NOW.plusNanos(nanos);
      RolloutFixture fixture =
          new RolloutFixture().nodes("nooo").settings(RolloutSettings.DEFAULTS.withCanary(1, soak));
      Rollout.Outlook outlook = fixture.plan(now);
      assertThat(fixture.state(outlook.next()).plan(now.plus(soak).minusNanos(1)).soaked())
          .isFalse();
    }
  }

  @Test
  void aCanaryWithoutASoakIsWaitedForOnlyUntilItIsUpToDate() {
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ZERO));
    Rollout.Outlook outlook = fixture.plan();
    assertThat(outlook.next().canary()).contains(RolloutState.Canary.begun(NOW));
    assertThat(nodes(fixture.published(outlook).plan(), NodePurpose.ADMIT)).isEqualTo("11");
  }

  @Test
  void theOthersBeginWhenItIsPublishedThatTheCanarySoaked() {
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(10)))
            .state(RolloutState.NONE.started().withCanary(Optional.of(canary(600, 60))));
    Rollout.Outlook outlook = fixture.plan();
    assertThat(outlook.plannedActions()).isEmpty();
    Rollout.Outlook afterRestart = fixture.published(outlook).watchedSince(NOW).plan();
    assertThat(nodes(afterRestart, NodePurpose.ADMIT)).isEqualTo("11");
  }

  @Test
  void theOthersBeginIfItCannotBePublishedThatTheCanarySoaked() {
    RolloutState.Canary dropped = new RolloutState.Canary(NOW.minusSeconds(600), Optional.empty());
    Rollout.Outlook outlook =
        new RolloutFixture()
            .nodes("nooo")
            .settings(RolloutSettings.DEFAULTS.withCanary(1, Duration.ofMinutes(10)))
            .state(RolloutState.NONE.started().withCanary(Optional.of(dropped)))
            .plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo("11");
  }

  @Test
  void aRolloutThatEvictsBeginsBusyNodesAfterIdleOnes() {
    RolloutFixture fixture =
        new RolloutFixture()
            .nodes("bbobo")
            .state(RolloutState.NONE.started().withEvicts(true))
            .settings(RolloutSettings.DEFAULTS.withEvict(true))
            .most(3);
    Rollout.Outlook outlook = fixture.plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo("12 14 10");
    assertThat(causes(outlook)).containsOnly(RolloutFixture.ACTIVE + "/Evict");
  }

  @Test
  void turnsOfARolloutThatDidNotEvictAreTakenBackWhenItDoes() {
    Rollout.Outlook outlook =
        new RolloutFixture()
            .nodes("to")
            .state(RolloutState.NONE.started().withEvicts(true))
            .settings(RolloutSettings.DEFAULTS.withEvict(true))
            .plan();
    assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo("10");
  }

  @Test
  void aRolloutThatRunsEvictsNothingBecauseTheSettingChanges() {
    Rollout.Outlook outlook =
        new RolloutFixture()
            .nodes("bbobo")
            .settings(RolloutSettings.DEFAULTS.withEvict(true))
            .most(3)
            .plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo("12 14");
    assertThat(causes(outlook)).containsOnly(RolloutFixture.ACTIVE);
    assertThat(outlook.next().evicts()).isFalse();
  }

  @Test
  void aRolloutThatEvictsDoesNotAnyMoreOnceTheSettingIsTakenBack() {
    RolloutState evicts = RolloutState.NONE.started().withEvicts(true);
    Rollout.Outlook outlook = new RolloutFixture().nodes("bbobo").state(evicts).most(3).plan();
    assertThat(outlook.next().evicts()).isFalse();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo("-");

    RolloutSettings invalid =
        new RolloutSettings(
            RolloutSettings.Limit.DEFAULT, 0, Duration.ZERO, true, Optional.of("Bad setting."));
    RolloutFixture fixture = new RolloutFixture().nodes("bo").state(evicts);
    assertThat(fixture.settings(invalid).plan().next()).isEqualTo(evicts);
    assertThat(fixture.settings(invalid.withEvict(false)).plan().next())
        .isEqualTo(evicts.withEvicts(false));
  }

  private static List<String> causes(Rollout.Outlook outlook) {
    return outlook.plannedActions().stream()
        .map(PlannedAction::action)
        .map(Action.WriteNode.class::cast)
        .flatMap(action -> action.next().stream())
        .map(Disruption.Admitted.class::cast)
        .flatMap(admitted -> admitted.causes().stream())
        .map(cause -> cause.what().reference())
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "nn,  NONE",
    "nnp, NONE",
    "nnl, NONE",
    "nnd, NONE",
    "nnx, RUNNING",
    "nnf, RUNNING",
    "nnk, RUNNING",
    "nnD, RUNNING",
    "nne, RUNNING",
    "nnb, RUNNING",
  })
  void itIsCompleteWhenEveryMemberIsUpToDate(String nodes, RolloutState.Phase phase) {
    Rollout.Outlook outlook = new RolloutFixture().nodes(nodes).plan();
    assertThat(outlook.next().phase()).isEqualTo(phase);
    assertThat(outlook.next().number()).isEqualTo(1);
    assertThat(outlook.progress().isPresent()).isEqualTo(phase == RolloutState.Phase.RUNNING);
  }

  @Test
  void itPausesAfterThreeFailuresInARowAndSaysWhy() {
    assertThat(new RolloutFixture().nodes("tTo").failures(2).plan().next().phase())
        .isEqualTo(RolloutState.Phase.RUNNING);
    Rollout.Outlook outlook = new RolloutFixture().nodes("tTo").failures(3).plan();
    assertThat(outlook.next())
        .isEqualTo(
            RolloutState.NONE.started().paused("The last 3 boots of the configuration failed."));
    assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo("10");
    assertThat(outlook.progress())
        .contains(
            "Rollout of "
                + RolloutFixture.ACTIVE
                + ": 0 of 3 nodes up to date, paused. The last 3 boots of the configuration failed.");
  }

  @Test
  void anotherActiveConfigurationEndsAPauseAndBeginsTheCanaryAnew() {
    RolloutState soaked =
        RolloutState.NONE.started().withCanary(Optional.of(RolloutState.Canary.begun(NOW)));
    for (RolloutState state : List.of(soaked, soaked.paused("Why."))) {
      Rollout.Outlook outlook =
          new RolloutFixture().nodes("too").before(RolloutFixture.FORMER).state(state).plan();
      assertThat(outlook.next()).isEqualTo(RolloutState.NONE.started());
      assertThat(outlook.plannedActions()).isEmpty();
    }
    assertThat(
            new RolloutFixture()
                .nodes("oo")
                .before(RolloutFixture.FORMER)
                .state(soaked.stopped())
                .plan()
                .next()
                .phase())
        .isEqualTo(RolloutState.Phase.STOPPED);
  }

  @Test
  void itPausesWhenTheConfigurationIsDisabled() {
    Rollout.Outlook outlook = new RolloutFixture().nodes("to").disabled().plan();
    assertThat(outlook.next().phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo("10");
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo("-");
  }

  @Test
  void aRolloutThatStandsStillTakesBackTheTurnsThatAreNotCommitted() {
    RolloutState running = RolloutState.NONE.started();
    for (RolloutState state :
        List.of(running.stopped(), running.paused("Why."), running.complete(), RolloutState.NONE)) {
      Rollout.Outlook outlook = new RolloutFixture().nodes("tTtoo").state(state).plan();
      assertThat(outlook.plannedActions()).hasSize(2);
      assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo("10 12");
      assertThat(outlook.next()).isEqualTo(state);
    }
  }

  @Test
  void nothingBeginsWhileItIsNotPublishedOrTheFleetCannotCarryItOut() {
    assertThat(new RolloutFixture().nodes("too").most(2).unpublished().plan().plannedActions())
        .isEmpty();
    Rollout.Outlook lost = new RolloutFixture().nodes("too").most(2).lost().plan();
    assertThat(lost.plannedActions()).isEmpty();
    assertThat(lost.progress().orElseThrow()).endsWith(", the fleet cannot be reached.");
    Rollout.Outlook unable =
        new RolloutFixture().nodes("too").most(2).capabilities(FleetOffer.Capabilities.NONE).plan();
    assertThat(unable.plannedActions()).isEmpty();
    assertThat(unable.progress().orElseThrow()).endsWith(", the fleet does not offer PowerReset.");
    Rollout.Outlook missing =
        new RolloutFixture().nodes("too").most(2).offers(RolloutFixture.FORMER).plan();
    assertThat(missing.plannedActions()).isEmpty();
    assertThat(missing.progress().orElseThrow())
        .endsWith(", the fleet does not offer the active configuration.");
  }

  @Test
  void settingsWithAProblemLetNothingBegin() {
    RolloutSettings bad =
        new RolloutSettings(
            RolloutSettings.Limit.DEFAULT, 0, Duration.ZERO, false, Optional.of("Bad setting."));
    Rollout.Outlook outlook = new RolloutFixture().nodes("too").settings(bad).plan();
    assertThat(nodes(outlook, NodePurpose.ADMIT)).isEqualTo("-");
    assertThat(nodes(outlook, NodePurpose.WITHDRAW)).isEqualTo("10");
    assertThat(outlook.next().phase()).isEqualTo(RolloutState.Phase.RUNNING);
    assertThat(outlook.progress().orElseThrow()).endsWith("waiting. Bad setting.");
  }

  @Test
  void aNodeThatIsPassedOverIsCheckedAgainLater() {
    assertThat(new RolloutFixture().nodes("kb").plan().wakeup()).contains(NOW.plusSeconds(120));
  }
}
