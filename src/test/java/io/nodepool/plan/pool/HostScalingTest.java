package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.PoolStatus.NodeCounts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Given;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.vocabulary.condition.AtTargetReason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One row for each size of a pool: how many Hosts are assigned and cancelled, and its condition
 * AtTarget.
 */
class HostScalingTest {

  @ParameterizedTest
  @CsvSource({
    // free, published grant, held, being assigned | taken
    "  9,   4,  0,  0,  4",
    "  9,   4,  3,  0,  1",
    "  9,   4,  3,  1,  0",
    "  2,   4,  0,  0,  2",
    "  9,   4,  5,  0,  0",
    "  9,   0,  0,  0,  0",
    "200, 200,  0,  0, 64",
    "200, 200,  0, 60,  4",
    "200, 200,  0, 64,  0",
  })
  void hostsAreTakenUpToThePublishedGrant(
      int free, int granted, int held, int assigning, int taken) {
    PoolSnapshot seen =
        new PoolFixture()
            .free(free)
            .target(granted)
            .asked(granted, granted)
            .registered(held)
            .assigning(assigning)
            .seen();
    List<PlannedAction> plannedActions =
        HostScaling.assign(seen, List.copyOf(seen.free().now().all()), "p1", PoolFixture.NOW);

    assertThat(plannedActions).hasSize(taken);
  }

  @Test
  void anAssignmentHasTheMetadataThatThePoolMayDecide() {
    PoolSnapshot seen =
        new PoolFixture()
            .label("team", "a")
            .label("kubernetes.io/arch", "arm64")
            .free(1)
            .asked(1, 1)
            .seen();
    List<PlannedAction> plannedActions =
        HostScaling.assign(seen, List.copyOf(seen.free().now().all()), "p1", PoolFixture.NOW);

    assertThat(plannedActions)
        .singleElement()
        .satisfies(plannedAction -> {
          assertThat(plannedAction.action()).isInstanceOf(Action.OnHost.class);
          HostOperation.Assign assign =
              (HostOperation.Assign) ((Action.OnHost) plannedAction.action()).operation();
          assertThat(assign.assignment().node().labels()).containsOnlyKeys("team");
        });
  }

  @ParameterizedTest
  @CsvSource({
    // booting, registered, excess | cancelled
    "3, 0, 0, ''",
    "3, 0, 2, h3 h2",
    "3, 0, 9, h3 h2 h1",
    "2, 2, 3, h2 h1",
    "0, 3, 2, ''",
  })
  void theNewestHostsThatHaveNotBootedAreCancelled(
      int booting, int registered, int excess, String names) {
    PoolSnapshot seen = new PoolFixture().booting(booting).registered(registered).seen();
    List<PlannedAction> plannedActions = HostScaling.cancel(seen, excess, 0);

    assertThat(String.join(" ", plannedActions.stream().map(HostScalingTest::host).toList()))
        .isEqualTo(names);
  }

  @ParameterizedTest
  @CsvSource({
    // booting, of which wanted back, excess, compute class | cancelled
    "3, 0, 0, spot, ''",
    "3, 1, 0, spot, h4",
    "3, 2, 1, spot, h5 h4",
    "3, 2, 3, spot, h5 h4 h3",
    "3, 2, 0, Spot, h5 h4",
    "3, 2, 0, default, ''",
    "3, 2, 1, default, h5",
  })
  void aSpotPoolCancelsTheHostsThatTheFleetWantsBackBeforeTheyBooted(
      int booting, int reclaimed, int excess, String computeClass, String names) {
    PoolSnapshot seen =
        new PoolFixture()
            .computeClass(computeClass)
            .booting(booting)
            .bootingReclaimed(reclaimed)
            .seen();
    List<PlannedAction> plannedActions = HostScaling.cancel(seen, excess, 0);

    assertThat(String.join(" ", plannedActions.stream().map(HostScalingTest::host).toList()))
        .isEqualTo(names);
  }

  @Test
  void aHostThatCannotBeReadIsKeptReportedAndCounted() {
    PoolSnapshot seen = new PoolFixture().target(1).booting(1).unread("g9", "no tenancy").seen();
    Member member = seen.members().iterator().next();
    Member frozen =
        Given.member(
            member.host(),
            member.node(),
            member.workload(),
            member.waiting(),
            Fixtures.findings(
                Optional.empty(), Optional.of("no power"), Optional.empty(), Optional.empty()));

    assertThat(HostScaling.cancel(seen, 1, 0)).hasSize(1);
    assertThat(HostScaling.cancel(seen.withMembers(Members.of(List.of(frozen))), 1, 0)).isEmpty();
    NodeCounts counts = StatusCounts.of(seen, Optional.empty(), 0, 0);
    assertThat(counts).isEqualTo(new NodeCounts(1, 1, 1, 0, Optional.empty(), Map.of()));
    Finding finding =
        HostScaling.atTarget(
            seen,
            counts,
            ScaleDown.plan(seen, DisruptionAdmission.of(seen), 1, 0, PoolFixture.NOW),
            Optional.empty(),
            Optional.empty());
    assertThat(finding.reason()).isEqualTo(AtTargetReason.INTERNAL_ERROR);
    assertThat(finding.message())
        .isEqualTo("1 machine cannot be read and is left as it is: g9: no tenancy");
  }

  private static String host(PlannedAction plannedAction) {
    return ((Action.OnHost) plannedAction.action()).operation().host().name();
  }

  @ParameterizedTest
  @CsvSource({
    // target, booting, registered | reason, message
    "2, 0, 2, TARGET_MET, NodePool has reached its target node count.",
    "0, 0, 0, TARGET_MET, NodePool has reached its target node count.",
    "4, 1, 2, UNDER_TARGET, 'NodePool has 2 of 4 nodes: 1 in progress, 1 queued.'",
    "1, 0, 0, UNDER_TARGET, 'NodePool has 0 of 1 node: 0 in progress, 1 queued.'",
    "1, 0, 3, OVER_TARGET, 'NodePool has 3 nodes, 2 more than its target of 1",
  })
  void atTargetComparesTheRegisteredNodes(
      int target, int booting, int registered, AtTargetReason reason, String message) {
    PoolSnapshot seen =
        new PoolFixture().target(target).booting(booting).registered(registered).seen();
    Optional<Growth> growth = Optional.of(new Growth(PoolFixture.NOW, target, target, 0));
    NodeCounts counts = StatusCounts.of(seen, growth, Integer.MAX_VALUE, 0);
    Finding finding =
        HostScaling.atTarget(
            seen,
            counts,
            ScaleDown.plan(seen, DisruptionAdmission.of(seen), target, 0, PoolFixture.NOW),
            Optional.empty(),
            Optional.empty());

    assertThat(finding.reason()).isEqualTo(reason);
    assertThat(finding.message()).startsWith(message);
  }
}
