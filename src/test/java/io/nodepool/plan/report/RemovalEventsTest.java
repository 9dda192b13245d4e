package io.nodepool.plan.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.pool.PoolPlay;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import org.junit.jupiter.api.Test;

/** Counts in the Events of a pool: each occurrence is counted once, also across restarts. */
class RemovalEventsTest {
  private final PoolPlay pool = new PoolPlay();

  private PoolPlay of(int nodes) {
    return pool.target(nodes).free(nodes).publish().nodes(nodes).publish();
  }

  private int counted(EventReason reason) {
    return pool.counted(reason);
  }

  @Test
  void anAdmissionThatIsReplacedByAnotherIsReportedWithItsWithdrawnCordon() {
    of(3).target(2).isAdmitted(0).publish();
    assertThat(counted(EventReason.NODE_CORDONED)).isEqualTo(1);

    pool.isTakenBack(0).isAdmitted(1).publish();

    assertThat(counted(EventReason.NODE_POOL_REMOVE_NODES)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_CORDONED)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_UNCORDONED)).isEqualTo(1);
    assertThat(pool.message(EventReason.NODE_UNCORDONED))
        .isEqualTo("1 Node (g0) uncordoned: no longer to be removed.");
    assertThat(pool.message(EventReason.NODE_POOL_REMOVE_NODES))
        .isEqualTo("Removing 2 Nodes (g0, g1): the target is 2. Removals withdrawn so far: 1.");
  }

  @Test
  void marksThatComeAndGoBetweenTwoStatusesAreAllReported() {
    of(3).target(2);
    pool.isAdmitted(0).isTakenBack(0).isAdmitted(1).isTakenBack(1).isAdmitted(2).publish();

    assertThat(counted(EventReason.NODE_POOL_REMOVE_NODES)).isEqualTo(3);
    assertThat(counted(EventReason.NODE_CORDONED)).isEqualTo(3);
    assertThat(counted(EventReason.NODE_UNCORDONED)).isEqualTo(2);
  }

  @Test
  void aCordonOfAnotherClientIsNotReportedAsTheOperators() {
    of(3).isCordonedByHand(0).target(1).isAdmitted(0).isAdmitted(1).publish();

    assertThat(counted(EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_CORDONED)).isEqualTo(1);
    assertThat(pool.message(EventReason.NODE_CORDONED))
        .isEqualTo("1 Node (g1) cordoned to be removed.");

    pool.isTakenBack(0).isTakenBack(1).publish();
    assertThat(counted(EventReason.NODE_UNCORDONED)).isEqualTo(1);
    assertThat(pool.message(EventReason.NODE_UNCORDONED)).contains("(g1)");
  }

  @Test
  void aDrainThatEndsAsAnotherBeginsIsReported() {
    of(3).target(1).isAdmitted(0).isAdmitted(1).publish();
    pool.isAt(0, NodeRemovalReason.DRAINING).publish();
    assertThat(counted(EventReason.DRAIN_NODE)).isEqualTo(1);

    pool.isRemoved(0).isAt(1, NodeRemovalReason.DRAINING).publish();

    assertThat(counted(EventReason.DRAIN_NODE)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_DRAINING)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(counted(EventReason.NODE_PREPARED_FOR_TERMINATE)).isEqualTo(1);
    assertThat(pool.status().removal().draining()).isEqualTo(1);
  }

  @Test
  void blocksAndForceThatReplaceEachOtherAreEachReported() {
    of(4).target(1).isAdmitted(0).isAdmitted(1).isAdmitted(2);
    pool.isAt(0, NodeRemovalReason.BLOCKED_BY_BUDGET).isAt(1, NodeRemovalReason.FORCED).publish();
    pool.isAt(0, NodeRemovalReason.DRAINING)
        .isAt(2, NodeRemovalReason.BLOCKED_BY_BUDGET)
        .isRemoved(1)
        .isAt(0, NodeRemovalReason.FORCED)
        .publish();

    assertThat(counted(EventReason.NODE_DRAINING_PDB_VIOLATION)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_DRAINING_FORCE_DELETE)).isEqualTo(2);
    assertThat(counted(EventReason.DRAIN_NODE)).isEqualTo(3);
    assertThat(pool.message(EventReason.NODE_DRAINING_PDB_VIOLATION))
        .isEqualTo(
            "PodDisruptionBudgets blocked the drain of 2 Nodes (g0, g2) to be removed; an Event of the Node says which.");
  }

  @Test
  void eachNodeIsReportedWhileOthersOfItsBatchDrain() {
    of(3).target(1).isAdmitted(0).isAdmitted(1).publish();
    pool.isAt(0, NodeRemovalReason.BLOCKED_BY_BUDGET).isAt(1, NodeRemovalReason.TERMINATING);
    pool.isStopped(1).publish().restart().publish();
    assertThat(counted(EventReason.NODE_PREPARED_FOR_TERMINATE)).isEqualTo(1);
    assertThat(pool.message(EventReason.NODE_PREPARED_FOR_TERMINATE))
        .isEqualTo("1 Node (g1) prepared for termination.");
    assertThat(counted(EventReason.NODE_DELETED)).isZero();

    pool.isRemoved(1).publish();
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(pool.message(EventReason.NODE_POOL_NODES_REMOVED))
        .isEqualTo("1 Node (g1) removed; 2 left.");

    pool.isRemoved(0).publish().restart().publish();
    assertThat(counted(EventReason.NODE_PREPARED_FOR_TERMINATE)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_POOL_NODES_REMOVED)).isEqualTo(2);
  }

  @Test
  void aNodeThatIsRemovedAsAnotherOneJoinsIsReported() {
    of(3).target(2).isAdmitted(0).isAt(0, NodeRemovalReason.TERMINATING).publish();
    pool.isRemoved(0).joins(7).publish();

    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(counted(EventReason.NODE_POOL_NODES_REMOVED)).isEqualTo(1);
    assertThat(counted(EventReason.DRAIN_NODE)).isZero();
  }

  @Test
  void aNodeThatAnotherClientDeletesIsNotReportedAsRemoved() {
    of(3).isDeletedByHand(0).publish().joins(0).publish();
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(pool.message(EventReason.NODE_DELETED))
        .isEqualTo(
            "1 Node (g0) gone that the pool did not remove: deleted by others, or without their machines; 2 left.");

    pool.isDeletedByHand(0).publish();
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(2);
    assertThat(counted(EventReason.NODE_PREPARED_FOR_TERMINATE)).isZero();
    assertThat(pool.status().removal().number()).isZero();
  }

  @Test
  void anAdmittedNodeThatAnotherClientDeletesIsNeitherRemovedNorUncordoned() {
    of(3).target(2).isAdmitted(0).publish().isDeletedByHand(0).publish();

    assertThat(pool.status().removal().terminating()).isZero();
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(counted(EventReason.NODE_UNCORDONED)).isZero();
    assertThat(counted(EventReason.NODE_POOL_NODES_REMOVED)).isZero();
  }

  @Test
  void aBatchEndsOnceThatWasReportedAndTheNextIsCountedAnew() {
    of(4).target(3).isAdmitted(0).isAt(0, NodeRemovalReason.TERMINATING).publish();
    pool.isRemoved(0).publish().target(2).isAdmitted(1).publish();
    assertThat(pool.status().removal().number()).isEqualTo(2);
    assertThat(pool.message(EventReason.NODE_POOL_REMOVE_NODES)).startsWith("Removing 1 Node (g1)");
    assertThat(counted(EventReason.NODE_POOL_REMOVE_NODES)).isEqualTo(2);

    pool.isTakenBack(1).isAdmitted(2).publish();
    assertThat(pool.status().removal().number()).isEqualTo(2);
  }

  @Test
  void aRestartEmitsNothingAgain() {
    of(4).target(1).isAdmitted(0).isAdmitted(1).isAdmitted(2).publish();
    pool.isAt(0, NodeRemovalReason.BLOCKED_BY_BUDGET)
        .isAt(1, NodeRemovalReason.FORCED)
        .isRemoved(2)
        .isDeletedByHand(3)
        .publish();
    PoolStatus before = pool.status();

    pool.restart().publish().restart().publish();

    assertThat(pool.status()).isEqualTo(before);
  }

  @Test
  void occurrencesNotReportedBeforeARestartAreReportedAfterIt() {
    of(5).target(1).isAdmitted(0).isAdmitted(1).publish();
    pool.isAdmitted(2).isAdmitted(3).isRemoved(1).isAt(0, NodeRemovalReason.DRAINING);

    pool.restart().publish();

    assertThat(counted(EventReason.NODE_POOL_REMOVE_NODES)).isEqualTo(4);
    assertThat(counted(EventReason.NODE_CORDONED)).isEqualTo(4);
    assertThat(counted(EventReason.DRAIN_NODE)).isEqualTo(1);
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(counted(EventReason.NODE_UNCORDONED)).isZero();
  }

  @Test
  void marksThatWereWithdrawnDuringAnOutageAreReportedAfterARestart() {
    of(3).target(1).isAdmitted(0).isAdmitted(1).publish();
    pool.isTakenBack(0).restart().publish();

    assertThat(counted(EventReason.NODE_UNCORDONED)).isEqualTo(1);
    assertThat(pool.status().removal().terminating()).isEqualTo(1);
  }

  @Test
  void aNodeThatVanishedDuringAnOutageIsReportedAfterARestart() {
    of(3).vanishes(0).restart().publish();

    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(counted(EventReason.NODE_POOL_REMOVE_NODES)).isZero();
  }

  @Test
  void theLateStatusOfADeadProcessMakesNothingReportedTwice() {
    of(4).target(2).isAdmitted(0).publish();
    PoolStatus old = pool.status();
    pool.isAdmitted(1).isDeletedByHand(3).publish();
    int removed = counted(EventReason.NODE_POOL_REMOVE_NODES);

    pool.late(old).publish();

    assertThat(counted(EventReason.NODE_POOL_REMOVE_NODES)).isEqualTo(removed).isEqualTo(2);
    assertThat(counted(EventReason.NODE_DELETED)).isEqualTo(1);
    assertThat(pool.status().events().occurrences()).isNotEqualTo(old.events().occurrences());
  }
}
