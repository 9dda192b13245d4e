package io.nodepool.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DeadlineTest {
  private final AtomicLong now = new AtomicLong(-5);

  @Test
  void aConditionThatHoldsIsNotWaitedFor() {
    new Deadline(Duration.ZERO, now::get).await("it is so", () -> true);
  }

  @Test
  void itPollsUntilTheConditionHolds() {
    AtomicInteger checks = new AtomicInteger();

    new Deadline(Duration.ofSeconds(1), now::get)
        .await("it is so", Duration.ofNanos(1), () -> checks.incrementAndGet() == 3);

    assertThat(checks).hasValue(3);
  }

  @Test
  void itPollsUntilTwoReadsInARowGiveTheSame() {
    Iterator<Optional<Long>> reads =
        List.of(Optional.of(1L), Optional.<Long>empty(), Optional.<Long>empty(), Optional.of(1L))
            .iterator();
    AtomicInteger checks = new AtomicInteger();

    new Deadline(Duration.ofSeconds(1), now::get)
        .awaitSame(
            "it is at rest",
            Duration.ofNanos(1),
            () -> {
              checks.incrementAndGet();
              return reads.hasNext() ? reads.next() : Optional.of(1L);
            });

    assertThat(checks).hasValue(5);
  }

  @Test
  void whatComesBeforeTheFirstWaitIsNoPartOfTheMeasurement() {
    Deadline deadline = new Deadline(Duration.ofSeconds(2), now::get);
    AtomicInteger checks = new AtomicInteger();

    now.addAndGet(Duration.ofMinutes(6).toNanos());

    deadline.await("it is so", Duration.ofNanos(1), () -> checks.incrementAndGet() == 3);
    assertThat(checks).hasValue(3);
  }

  @Test
  void afterTheDeadlineTheErrorNamesTheCondition() {
    Deadline deadline = new Deadline(Duration.ofSeconds(2), now::get);

    BenchFailure failure =
        catchThrowableOfType(
            BenchFailure.class,
            () ->
                deadline.await(
                    "it is so",
                    Duration.ofNanos(1),
                    () -> {
                      now.addAndGet(1_000_000_000);
                      return false;
                    }));

    assertThat(failure).hasMessage("Timed out after 2 s waiting until it is so.");
    assertThat(failure.isTimeOut()).isTrue();
  }
}
