package io.nodepool.plan.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PoolFixture;
import io.nodepool.vocabulary.condition.QuotaReason;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One row for each quota and its grant; {@code -} is no quota. */
class QuotaTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static Quota.Grant check(PoolFixture fixture, PlanSettings settings) {
    return Quota.check(fixture.seen(), fixture.own(), NOW, settings);
  }

  @ParameterizedTest
  @CsvSource({
    // limit, target, granted before, held | granted, reason
    "10,  4,  0, 0,  4, UNDER",
    "10, 10,  0, 0, 10, UNDER",
    "10, 11,  0, 0,  0, OVER",
    "10, 11,  4, 4,  4, OVER",
    "10,  2,  4, 4,  4, UNDER",
    "10,  2,  4, 1,  2, UNDER",
    " 3,  4,  4, 4,  4, OVER",
    " 3,  2,  4, 4,  4, OVER",
    " 0,  0,  0, 0,  0, UNDER",
    " 0,  4,  0, 0,  0, NOT_SET",
    " 0,  2,  2, 2,  2, NOT_SET",
    " -,  4,  0, 0,  0, NOT_SET",
    " -,  4,  2, 2,  2, NOT_SET",
  })
  void growthIsGrantedAsAWholeAndTheGrantStays(
      String limit, int target, int granted, int held, int grants, QuotaReason reason) {
    PoolFixture fixture = new PoolFixture().target(target).asked(target, granted).registered(held);
    Quota.Grant grant = check(limited(fixture, limit), PlanSettings.DEFAULTS);

    assertThat(grant.granted()).isEqualTo(grants);
    assertThat(grant.finding().reason()).isEqualTo(reason);
  }

  private static PoolFixture limited(PoolFixture fixture, String limit) {
    return limit.equals("-") ? fixture : fixture.quota(Integer.parseInt(limit));
  }

  @ParameterizedTest
  @CsvSource({
    // limit, target | ahead: target, granted, held | granted, reason
    "10, 4,   6, 6, 6,  4, UNDER",
    "10, 5,   6, 6, 6,  0, OVER",
    "10, 5,   6, 0, 0,  0, OVER",
    "10, 4,   6, 0, 0,  4, UNDER",
    "10, 4,  11, 0, 0,  4, UNDER",
    "10, 4,   2, 2, 8,  0, OVER",
  })
  void anEarlierRequestIsServedFirst(
      int limit, int target, int wants, int has, int holds, int grants, QuotaReason reason) {
    PoolFixture fixture = new PoolFixture().target(target).asked(target, 0).quota(limit);
    Quota.Grant grant = check(fixture.ahead("b", wants, has, holds), PlanSettings.DEFAULTS);

    assertThat(grant.granted()).isEqualTo(grants);
    assertThat(grant.finding().reason()).isEqualTo(reason);
  }

  @Test
  void aLaterRequestWaits() {
    PoolFixture fixture = new PoolFixture().target(4).asked(4, 0).quota(4).behind("b", 4, 0, 0);

    assertThat(check(fixture, PlanSettings.DEFAULTS).granted()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    // limit, seconds since it leads | behind: target, granted, held | granted, reason
    "10, 59,  7, 0, 0,  0, NOT_CHECKED",
    "10, 60,  7, 0, 0,  4, UNDER",
    "11, 59,  7, 0, 0,  4, UNDER",
    "10, 59,  7, 7, 7,  0, OVER",
    "10, 59,  2, 7, 0,  0, OVER",
  })
  void aNewOperatorCountsWhatTheOneBeforeItMayHaveGranted(
      int limit, int seconds, int wants, int has, int holds, int grants, QuotaReason reason) {
    PoolFixture fixture =
        new PoolFixture().target(4).asked(4, 0).quota(limit).behind("b", wants, has, holds);
    PoolSnapshot seen = fixture.seen();
    Quota.Grant grant =
        Quota.check(
            seen.withWatched(seen.watched().from(NOW.minusSeconds(seconds))),
            fixture.own(),
            NOW,
            PlanSettings.DEFAULTS);

    assertThat(grant.granted()).isEqualTo(grants);
    assertThat(grant.finding().reason()).isEqualTo(reason);
    assertThat(grant.wakeup().stream())
        .containsExactlyElementsOf(
            reason == QuotaReason.NOT_CHECKED ? List.of(NOW.plusSeconds(60 - seconds)) : List.of());
  }

  @Test
  void aNewOperatorDoesNotDoubtWhatAPoolHasAlready() {
    PoolFixture fixture = new PoolFixture().target(4).asked(4, 4).quota(10).behind("b", 7, 0, 0);
    PoolSnapshot seen = fixture.seen();
    Quota.Grant grant =
        Quota.check(
            seen.withWatched(seen.watched().from(NOW)), fixture.own(), NOW, PlanSettings.DEFAULTS);

    assertThat(grant.granted()).isEqualTo(4);
    assertThat(grant.finding().reason()).isEqualTo(QuotaReason.UNDER);
  }

  @Test
  void aMissingQuotaMayMeanNoLimit() {
    PlanSettings unlimited =
        PlanSettings.DEFAULTS.withDelivery(
            PlanSettings.DEFAULTS.delivery().withMissingQuotaIsUnlimited(true));
    Quota.Grant grant = check(new PoolFixture().target(4).asked(4, 0), unlimited);

    assertThat(grant.granted()).isEqualTo(4);
    assertThat(grant.finding().reason()).isEqualTo(QuotaReason.UNDER);
  }

  @Test
  void sumsOfManyPoolsDoNotOverflow() {
    PoolFixture fixture = new PoolFixture().target(1).asked(1, 0).quota(Integer.MAX_VALUE);
    for (int i = 0; i < 3; i++) {
      fixture.ahead("b" + i, Integer.MAX_VALUE, Integer.MAX_VALUE, 0);
    }

    assertThat(check(fixture, PlanSettings.DEFAULTS).finding().reason())
        .isEqualTo(QuotaReason.OVER);
  }

  @Test
  void theGrantStaysIfTheQuotaWasNotChecked() {
    PoolFixture fixture = new PoolFixture().target(6).asked(6, 4).registered(2);

    assertThat(Quota.notComputed(fixture.own()).granted()).isEqualTo(4);
    assertThat(check(fixture.lost("no answer"), PlanSettings.DEFAULTS).granted()).isEqualTo(4);
    assertThat(check(fixture, PlanSettings.DEFAULTS).finding().reason())
        .isEqualTo(QuotaReason.INTERNAL_ERROR);
  }
}
