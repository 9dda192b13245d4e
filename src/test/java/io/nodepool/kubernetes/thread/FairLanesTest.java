package io.nodepool.kubernetes.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class FairLanesTest {
  private final List<String> ran = new CopyOnWriteArrayList<>();
  private final List<String> dropped = new CopyOnWriteArrayList<>();

  private void execute(FairLanes lanes, String share, String name) {
    lanes.execute(share, () -> ran.add(name), () -> dropped.add(name));
  }

  @Test
  void sharesTakeTurnsForAnyNumberOfTasks() {
    FairLanes lanes = new FairLanes(1, Duration.ofSeconds(5));
    Semaphore hold = new Semaphore(0);
    lanes.execute("big", hold::acquireUninterruptibly, () -> {});
    for (int i = 0; i < 1000; i++) {
      execute(lanes, "big", "big");
    }
    execute(lanes, "small", "small 1");
    execute(lanes, "small", "small 2");
    hold.release();

    Awaitility.await().until(() -> lanes.pending() == 0);
    assertThat(ran).hasSize(1002);
    assertThat(ran.indexOf("small 1")).isLessThanOrEqualTo(2);
    assertThat(ran.indexOf("small 2")).isLessThanOrEqualTo(4);
  }

  @Test
  void noMoreTasksRunAtOnceThanAllowed() {
    FairLanes lanes = new FairLanes(3, Duration.ofSeconds(5));
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    CountDownLatch three = new CountDownLatch(3);
    for (int i = 0; i < 30; i++) {
      lanes.execute(
          "share " + i,
          () -> {
            most.accumulateAndGet(now.incrementAndGet(), Math::max);
            three.countDown();
            awaitQuietly(three);
            now.decrementAndGet();
          },
          () -> {});
    }

    Awaitility.await().until(() -> lanes.pending() == 0);
    assertThat(most).hasValue(3);
  }

  @Test
  void aShareWhoseTasksDoNotEndLeavesLanesToOthers() {
    FairLanes lanes = new FairLanes(16, Duration.ofSeconds(5));
    Semaphore hold = new Semaphore(0);
    for (int i = 0; i < 100; i++) {
      lanes.execute("slow", hold::acquireUninterruptibly, () -> {});
    }
    for (int i = 0; i < 20; i++) {
      execute(lanes, "quick", "quick");
    }

    Awaitility.await().until(() -> ran.size() == 20);
    assertThat(lanes.running("slow")).isEqualTo(12);
    hold.release(100);
    Awaitility.await().until(() -> lanes.pending() == 0);
  }

  @Test
  void whileOthersWaitAShareHasHalfOfTheLanes() {
    FairLanes lanes = new FairLanes(4, Duration.ofSeconds(5));
    Semaphore slow = new Semaphore(0);
    Semaphore other = new Semaphore(0);
    for (int i = 0; i < 10; i++) {
      lanes.execute("slow", slow::acquireUninterruptibly, () -> {});
    }
    assertThat(lanes.running("slow")).isEqualTo(3);
    for (int i = 0; i < 10; i++) {
      lanes.execute("other", other::acquireUninterruptibly, () -> {});
    }
    assertThat(lanes.running("other")).isEqualTo(1);

    slow.release(1);
    Awaitility.await().until(() -> lanes.running("other") == 2);
    assertThat(lanes.running("slow")).isEqualTo(2);
    slow.release(10);
    other.release(10);
    Awaitility.await().until(() -> lanes.pending() == 0);
    assertThat(lanes.running("slow")).isZero();
  }

  @Test
  void oneLaneServesEveryShare() {
    FairLanes lanes = new FairLanes(1, Duration.ofSeconds(5));
    execute(lanes, "a", "a");
    execute(lanes, "b", "b");

    Awaitility.await().until(() -> ran.size() == 2);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(5, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void closingDropsWaitingTasksAndLetsRunningOnesEnd() {
    FairLanes lanes = new FairLanes(1, Duration.ofSeconds(5));
    CountDownLatch closing = new CountDownLatch(1);
    lanes.execute(
        "a",
        () -> {
          awaitQuietly(closing);
          ran.add("ran to its end");
        },
        () -> {});
    lanes.execute(
        "a",
        () -> ran.add("second"),
        () -> {
          dropped.add("second");
          closing.countDown();
        });

    lanes.close();

    assertThat(ran).containsExactly("ran to its end");
    assertThat(dropped).containsExactly("second");
    execute(lanes, "a", "late");
    assertThat(dropped).containsExactly("second", "late");
  }

  @Test
  void closingWaitsABoundedTime() {
    FairLanes lanes = new FairLanes(1, Duration.ofMillis(50));
    Semaphore never = new Semaphore(0);
    lanes.execute("a", never::acquireUninterruptibly, () -> {});

    lanes.close();

    assertThat(lanes.pending()).isEqualTo(1);
    never.release();
  }

  @Test
  void aTaskThatFailsFreesItsLane() {
    FairLanes lanes = new FairLanes(1, Duration.ofSeconds(5));
    lanes.execute(
        "a",
        () -> {
          Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> {});
          throw new IllegalStateException("on purpose");
        },
        () -> {});
    execute(lanes, "a", "next");

    Awaitility.await().until(() -> ran.contains("next"));
  }
}
