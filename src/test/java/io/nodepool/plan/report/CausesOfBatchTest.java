package io.nodepool.plan.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.disruption.cause.RebootFailedCause;
import io.nodepool.plan.disruption.cause.RequestedRebootCause;
import io.nodepool.plan.disruption.cause.RolloutCause;
import io.nodepool.plan.pool.PoolPlay;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** An Event that counts the Nodes of a batch gives the causes of all of them. */
class CausesOfBatchTest {
  private static final RolloutCause ROLLOUT = new RolloutCause("profile-2", false);
  private static final RequestedRebootCause REBOOT =
      new RequestedRebootCause(LifecycleState.REBOOT, false);

  private final PoolPlay pool = new PoolPlay().target(4).free(4).publish().nodes(4).publish();

  private String cordoned() {
    return pool.message(EventReason.NODE_CORDONED);
  }

  @Test
  void aNodeThatIsBackIsCountedWithItsCause() {
    pool.isAdmitted(0, REBOOT).isAdmitted(1, ROLLOUT).publish();
    pool.isBack(0).isAdmitted(2, ROLLOUT).publish();

    assertThat(cordoned())
        .isEqualTo(
            "3 Nodes (g0, g1, g2) cordoned for a reboot or a verification, each since its pool rolls out a configuration or since its reboot was requested.");
    assertThat(pool.status().events().batch(CountsAs.REBOOT).causes())
        .isEqualTo(Map.of("Reboot", 1, "Rollout", 2));
  }

  @Test
  void aNodeThatAnotherClientCordonedIsNotGivenAsACause() {
    pool.isCordonedByHand(0).isAdmitted(0, REBOOT).isAdmitted(1, ROLLOUT).publish();

    assertThat(cordoned())
        .isEqualTo(
            "1 Node (g1) cordoned for a reboot or a verification: its pool rolls out a configuration.");
  }

  @Test
  void aNodeThatLeftIsCountedWithItsCause() {
    pool.isAdmitted(0, new RebootFailedCause()).publish();
    pool.isRemoved(0).target(2).isAdmitted(1).publish();

    assertThat(pool.message(EventReason.NODE_POOL_REMOVE_NODES))
        .isEqualTo(
            "Removing 2 Nodes (g0, g1), each since its machine did not come back from its reboot or since the target is 2.");
  }

  @Test
  void anOperatorThatTakesOverKnowsTheCausesOfTheBatch() {
    pool.isAdmitted(0, REBOOT).isAdmitted(1, ROLLOUT).publish();
    pool.restart().publish().isBack(0).isAdmitted(2, ROLLOUT).publish();

    assertThat(cordoned())
        .isEqualTo(
            "Nodes (g2; 3 times in all) cordoned for a reboot or a verification, each since its pool rolls out a configuration or since its reboot was requested.");
  }

  @Test
  void noCauseIsGivenIfAnEarlierVersionCountedWithoutOne() {
    pool.isAdmitted(0, REBOOT).isAdmitted(1, ROLLOUT).publish();
    pool.late(withoutCauses(pool.status())).restart().isBack(0).isAdmitted(2, ROLLOUT);
    pool.publish();

    assertThat(cordoned()).endsWith("cordoned for a reboot or a verification.");
  }

  @Test
  void noCauseIsGivenIfALaterVersionCountedOneThatIsNotKnown() {
    pool.isAdmitted(0, REBOOT).isAdmitted(1, ROLLOUT).publish();
    BatchState batch = pool.status().events().batch(CountsAs.REBOOT);
    pool.late(with(pool.status(), batch.withCauses(new TreeMap<>(Map.of("Later", 2)))));
    pool.restart().isAdmitted(2, ROLLOUT).publish();

    assertThat(cordoned()).endsWith("cordoned for a reboot or a verification.");
  }

  private static PoolStatus withoutCauses(PoolStatus status) {
    return with(status, status.events().batch(CountsAs.REBOOT).withCauses(new TreeMap<>()));
  }

  private static PoolStatus with(PoolStatus status, BatchState reboots) {
    Map<CountsAs, BatchState> batches = new EnumMap<>(status.events().batches());
    batches.put(CountsAs.REBOOT, reboots);
    EventState events = status.events();
    return status.withEvents(
        new EventState(
            events.reachedTarget(),
            events.lastKnown(),
            events.occurrences(),
            batches,
            events.failingReboots()));
  }
}
