package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.vocabulary.EventReason;
import org.junit.jupiter.api.Test;

/**
 * Events of a pool that report a change: each change is reported once, with or without an outage in
 * between.
 */
class PoolEventsTest {
  private static final EventReason SHORT = EventReason.INSUFFICIENT_CAPACITY;
  private static final EventReason OVER = EventReason.OVER_QUOTA;
  private static final EventReason UP = EventReason.NODE_POOL_SCALED_UP;
  private static final EventReason DOWN = EventReason.NODE_POOL_SCALED_DOWN;

  private final PoolPlay pool = new PoolPlay();

  @Test
  void aShortageThatBeganDuringAnOutageIsReported() {
    pool.target(2).free(2).publish().lost(true).publish();
    assertThat(pool.emitted(SHORT)).isZero();

    pool.lost(false).free(0).publish();
    assertThat(pool.emitted(SHORT)).isEqualTo(1);
  }

  @Test
  void aShortageThatOutlastsOutagesIsReportedOnce() {
    pool.target(2).free(0).publish();
    assertThat(pool.emitted(SHORT)).isEqualTo(1);
    for (int i = 0; i < 2; i++) {
      pool.lost(true).publish().publish().lost(false).publish();
      assertThat(pool.emitted(SHORT)).isZero();
    }

    pool.free(2).publish().free(1).publish();
    assertThat(pool.emitted(SHORT)).isEqualTo(1);
  }

  @Test
  void aShortageThatEndedDuringAnOutageIsAnotherOneWhenItComesBack() {
    pool.target(2).free(0).publish().lost(true).publish().lost(false).free(2).publish();
    assertThat(pool.emitted(SHORT)).isEqualTo(1);

    pool.lost(true).publish().lost(false).free(1).publish();
    assertThat(pool.emitted(SHORT)).isEqualTo(1);
  }

  @Test
  void theFirstShortageOfAPoolCreatedDuringAnOutageIsReported() {
    pool.target(2).lost(true).publish();
    assertThat(pool.emitted(SHORT)).isZero();

    pool.lost(false).free(0).publish();
    assertThat(pool.emitted(SHORT)).isEqualTo(1);
  }

  @Test
  void aPoolOverItsQuotaThatOutlastsAnOutageIsReportedOnce() {
    pool.target(2).free(2).quota(1).publish();
    assertThat(pool.emitted(OVER)).isEqualTo(1);
    pool.lost(true).publish().lost(false).publish();
    assertThat(pool.emitted(OVER)).isZero();

    pool.quota(2).publish().lost(true).publish().lost(false).target(3).publish();
    assertThat(pool.emitted(OVER)).isEqualTo(1);
  }

  @Test
  void eachHigherTargetThatIsReachedIsReportedOnce() {
    pool.target(2).free(2).publish();
    assertThat(pool.emitted(UP)).isZero();
    pool.nodes(2).publish();
    assertThat(pool.emitted(UP)).isEqualTo(1);

    pool.target(3).publish().nodes(3).publish();
    assertThat(pool.emitted(UP)).isEqualTo(1);
    assertThat(pool.emitted(DOWN)).isZero();
  }

  @Test
  void eachRefillOfAPoolIsReportedOnce() {
    pool.target(2).free(2).publish().nodes(2).publish();
    assertThat(pool.emitted(UP)).isEqualTo(1);

    for (int i = 0; i < 2; i++) {
      pool.nodes(1).publish().lost(true).publish().restart().lost(false);
      assertThat(pool.emitted(UP)).isZero();
      pool.nodes(2).publish().publish().restart().publish();
      assertThat(pool.emitted(UP)).isEqualTo(1);
    }
    assertThat(pool.emitted(DOWN)).isZero();
  }

  @Test
  void nodesBeyondTheTargetThatGoAreNoScaling() {
    pool.target(2).free(2).publish().nodes(2).publish();
    pool.emitted(UP);

    pool.nodes(3).publish().nodes(2).publish();
    assertThat(pool.emitted(UP)).isZero();
    assertThat(pool.emitted(DOWN)).isZero();
  }

  @Test
  void aTargetThatIsRaisedAgainBeforeItWasReachedIsReportedIfNodesHadGone() {
    pool.target(3).free(3).publish().nodes(3).publish();
    pool.emitted(UP);

    pool.target(1).publish().nodes(2).publish().target(3).publish().nodes(3).publish();
    assertThat(pool.emitted(UP)).isEqualTo(1);
    assertThat(pool.emitted(DOWN)).isZero();
  }

  @Test
  void aTargetThatWasNeverReachedIsNotComparedWith() {
    pool.target(2).free(2).publish().nodes(2).publish();
    pool.emitted(UP);

    pool.target(5).publish().nodes(3).publish().target(3).publish();
    assertThat(pool.emitted(UP)).isEqualTo(1);
    assertThat(pool.emitted(DOWN)).isZero();

    pool.target(5).publish().target(3).publish();
    assertThat(pool.emitted(UP)).isZero();
    assertThat(pool.emitted(DOWN)).isZero();
  }

  @Test
  void aLowerTargetThatIsMetAtOnceIsReported() {
    pool.target(3).free(3).publish().nodes(3).publish();
    pool.emitted(UP);
    pool.target(2).publish().nodes(2).publish();
    assertThat(pool.emitted(DOWN)).isEqualTo(1);

    pool.target(1).nodes(1).publish();
    assertThat(pool.emitted(DOWN)).isEqualTo(1);
    pool.target(0).publish().nodes(0).publish();
    assertThat(pool.emitted(DOWN)).isEqualTo(1);
    assertThat(pool.emitted(UP)).isZero();
  }

  @Test
  void aPoolWithoutNodesReachesNothing() {
    pool.target(0).publish().lost(true).publish().lost(false).publish();

    assertThat(pool.emitted(UP)).isZero();
    assertThat(pool.emitted(DOWN)).isZero();
  }
}
