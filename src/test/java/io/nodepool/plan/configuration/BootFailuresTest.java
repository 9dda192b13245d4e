package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.configuration.NodeConfiguration;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.BootRecord;
import io.nodepool.model.pool.ConfigurationState.FailedBoot;
import io.nodepool.model.pool.ConfigurationState.Revision;
import io.nodepool.plan.disruption.cause.RequestedRebootCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BootFailuresTest {
  private static final Instant T0 = Instant.parse("2026-01-01T10:00:00Z");
  private static final int ATTEMPTS = 3;
  private static final int LARGE = 100;

  private static ConfigurationState state(BootRecord boots) {
    return ConfigurationState.NONE
        .withProfile("b")
        .withRevisions(
            List.of(
                new Revision(new NodeConfiguration("b", List.of()), "r", T0, T0, 0, false, boots)));
  }

  private static BootRecord boots(ConfigurationState state) {
    return state.active().orElseThrow().boots();
  }

  /** A Host that was assigned at a minute, with its wanted and its booted configuration. */
  private static Member member(String name, int minute, String wanted, String booted) {
    HostId id = new HostId(name, "uid-" + name);
    boolean up = !booted.isEmpty();
    return Fixtures.member(
        new Host(
            id,
            1,
            Fixtures.machine("turin-gp", "1", 0),
            new Host.Occupancy(
                1,
                Optional.of(
                    new Assignment(
                        new PoolId("a", "uid-a"),
                        "default",
                        "assign",
                        T0.plusSeconds(60L * minute),
                        Fixtures.spec(1).node())),
                wanted,
                Host.Power.ON),
            DeliveryHistory.CLEAN,
            up
                ? new Host.Report(HostPhase.RUNNING, 1, "boot", booted, T0)
                : new Host.Report(HostPhase.FREE, 0, "", "", T0)),
        up ? Optional.of(Fixtures.node(id, "node-" + name, 1)) : Optional.empty(),
        Workload.NONE,
        Optional.empty(),
        Optional.empty(),
        Member.Findings.NONE);
  }

  /** A Node that is being reconfigured, at this attempt, each requested a minute after the last. */
  private static Member rebooting(String name, int minute, int attempt) {
    Member member = member(name, 0, "b", "a");
    BootRequest request =
        BootRequest.first("boot", BootKind.POWER_RESET, "reboot", at(minute), Optional.empty());
    for (int next = 2; next <= attempt; next++) {
      request = request.again("boot", at(minute + next - 1), BootRequest.Outcome.NOT_BOOTED);
    }
    Disruption.Committed committed =
        new Disruption.Committed(
            1,
            List.of(new RequestedRebootCause(LifecycleState.RECONFIGURE, false).at(T0)),
            Disruption.Cordon.OURS,
            T0,
            new DisruptionLimits(
                new DisruptionEnding.Reboot(BootKind.POWER_RESET), T0, Optional.empty()),
            DrainStage.NONE);
    Node node = member.node().orElseThrow().withDisruption(Optional.of(committed));
    return Fixtures.member(
        member.host().withOccupancy(member.host().occupancy().withBoot(Optional.of(request))),
        Optional.of(node),
        Workload.NONE,
        Optional.empty(),
        Optional.empty(),
        Member.Findings.NONE);
  }

  private static Instant at(int minute) {
    return T0.plusSeconds(60L * minute);
  }

  private static ConfigurationState late(
      ConfigurationState before, int size, Member good, Member... late) {
    return BootFailures.record(
        before,
        Members.of(Stream.concat(Stream.of(good), Stream.of(late)).toList()),
        List.of(late),
        ATTEMPTS,
        size);
  }

  @Test
  void deliveriesThatFailOnThreeHostsDisableTheConfiguration() {
    Member other = member("o", 0, "a", "a");
    ConfigurationState two =
        late(
            state(BootRecord.NONE),
            LARGE,
            other,
            member("g1", 1, "b", ""),
            member("g2", 1, "b", ""));
    assertThat(boots(two).disabled()).isFalse();
    assertThat(boots(two).failures())
        .containsExactly(new FailedBoot("g1", at(1)), new FailedBoot("g2", at(1)));

    ConfigurationState three = late(two, LARGE, other, member("g3", 2, "b", ""));
    assertThat(boots(three).disabled()).isTrue();
  }

  @Test
  void theSameHostTwiceIsOneHost() {
    Member other = member("o", 0, "a", "a");
    ConfigurationState once =
        late(
            state(BootRecord.NONE),
            LARGE,
            other,
            member("g1", 1, "b", ""),
            member("g2", 1, "b", ""));
    ConfigurationState again = late(once, LARGE, other, member("g1", 9, "b", ""));

    assertThat(boots(again).failures()).hasSize(3);
    assertThat(boots(again).disabled()).isFalse();
  }

  @Test
  void inAPoolOfFewerHostsEveryTryCounts() {
    Member other = member("o", 0, "a", "a");
    ConfigurationState state = state(BootRecord.NONE);
    for (int minute = 1; minute <= 3; minute++) {
      assertThat(boots(state).disabled()).isFalse();
      state = late(state, 2, other, member("g1", minute, "b", ""));
    }
    assertThat(boots(state).disabled()).isTrue();
  }

  @Test
  void aBootThatBeganAsLateAndSucceededShowsThatTheMachinesAreToBlame() {
    ConfigurationState state =
        late(
            state(BootRecord.NONE),
            LARGE,
            member("good", 1, "b", "b"),
            member("g1", 1, "b", ""),
            member("g2", 1, "b", ""),
            member("g3", 1, "b", ""));

    assertThat(boots(state).disabled()).isFalse();
    assertThat(boots(state).failures()).isEmpty();
    assertThat(boots(state).provenAt()).contains(at(1));
  }

  @Test
  void anEarlierSuccessDoesNotExcuseLaterFailures() {
    ConfigurationState state =
        late(
            state(BootRecord.NONE),
            LARGE,
            member("good", 1, "b", "b"),
            member("g1", 2, "b", ""),
            member("g2", 2, "b", ""),
            member("g3", 2, "b", ""));

    assertThat(boots(state).disabled()).isTrue();
  }

  @Test
  void aMachineThatBootsAnotherConfigurationIsNotCounted() {
    ConfigurationState state =
        late(state(BootRecord.NONE), LARGE, member("o", 0, "a", "a"), member("g1", 1, "a", ""));

    assertThat(boots(state).failures()).isEmpty();
    assertThat(BootFailures.isPublished(state, member("g1", 1, "a", ""))).isTrue();
  }

  @Test
  void failedAttemptsOfReconfigurationsCountOncePerHostButNotTheLastOne() {
    ConfigurationState state =
        BootFailures.record(
            state(BootRecord.NONE),
            Members.of(
                List.of(rebooting("g1", 1, 2), rebooting("g2", 1, 3), rebooting("g3", 1, 1))),
            List.of(),
            ATTEMPTS,
            LARGE);

    assertThat(boots(state).failures())
        .containsExactly(
            new FailedBoot("g1", at(1)), new FailedBoot("g2", at(1)), new FailedBoot("g2", at(2)));
    assertThat(boots(state).disabled()).isFalse();
  }

  @Test
  void aDeliveryIsReturnedOnceItsFailureIsPublished() {
    Member late = member("g1", 1, "b", "");
    ConfigurationState before = state(BootRecord.NONE);
    assertThat(BootFailures.isPublished(before, late)).isFalse();

    assertThat(BootFailures.isPublished(late(before, LARGE, member("o", 0, "a", "a"), late), late))
        .isTrue();
  }

  @Test
  void theSeventhFailureOfAHostIsPublishedAndItsMachineReturned() {
    Member other = member("o", 0, "a", "a");
    ConfigurationState state = state(BootRecord.NONE);
    for (int minute = 1; minute <= 7; minute++) {
      Member late = member("g1", minute, "b", "");
      state = late(state, LARGE, other, late);
      assertThat(BootFailures.isPublished(state, late)).isTrue();
    }
    assertThat(boots(state).disabled()).isFalse();
    assertThat(boots(state).failures()).hasSizeLessThan(7);
  }

  @Test
  void aRebootThatFailedGoesOnOnceThatIsPublished() {
    Member failed = rebooting("g1", 1, 2);
    Disruption.Active reboot = failed.disruption().orElseThrow();
    ConfigurationState before = state(BootRecord.NONE);
    assertThat(BootFailures.arePublished(before, failed.host(), reboot, ATTEMPTS)).isFalse();

    ConfigurationState after =
        BootFailures.record(before, Members.of(List.of(failed)), List.of(), ATTEMPTS, LARGE);
    assertThat(BootFailures.arePublished(after, failed.host(), reboot, ATTEMPTS)).isTrue();
  }

  @Test
  void aHostIsToBlameOnlyUnderAConfigurationThatBoots() {
    Host host = member("g1", 1, "b", "").host();
    ConfigurationState unproven = state(BootRecord.NONE);
    ConfigurationState proven = state(Fixtures.boots(false, Optional.of(T0), List.of()));
    ConfigurationState disabled = state(Fixtures.boots(true, Optional.of(T0), List.of()));

    assertThat(BootFailures.isHostToBlame(unproven, host)).isFalse();
    assertThat(BootFailures.isHostToBlame(proven, host)).isTrue();
    assertThat(BootFailures.isHostToBlame(disabled, host)).isFalse();
  }
}
