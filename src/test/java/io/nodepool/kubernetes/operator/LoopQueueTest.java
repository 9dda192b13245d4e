package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.thread.KeyedTimers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopQueueTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:02:00Z");

  private final Queue<Runnable> decisions = new ArrayDeque<>();
  private final List<String> ran = new ArrayList<>();
  private final Map<String, Instant> again = new HashMap<>();
  private final ScheduledThreadPoolExecutor timers = KeyedTimers.thread("test");
  private final LoopQueue queue =
      new LoopQueue("machine", this::loop, this::add, timers, InstantSource.fixed(NOW));

  @AfterEach
  void stop() {
    timers.shutdownNow();
  }

  private Optional<Instant> loop(String machine) {
    ran.add(machine);
    if (machine.equals("broken")) {
      throw new IllegalStateException("on purpose");
    }
    return Optional.ofNullable(again.remove(machine));
  }

  private void add(Runnable decision) {
    synchronized (decisions) {
      decisions.add(decision);
    }
  }

  private boolean runOne() {
    Runnable next;
    synchronized (decisions) {
      next = decisions.poll();
    }
    if (next != null) {
      next.run();
    }
    return next != null;
  }

  private void runAll() {
    while (runOne()) {
      // until nothing waits
    }
  }

  @Test
  void aMachineRequestedOftenRunsOnce() {
    queue.wake("a");
    queue.wake("b");
    queue.wake("a");
    runAll();

    assertThat(ran).containsExactly("a", "b");
  }

  @Test
  void aMachineRequestedAgainRunsAgain() {
    queue.wake("a");
    runAll();
    queue.wake("a");
    runAll();

    assertThat(ran).containsExactly("a", "a");
  }

  @Test
  void aMachineRunsAgainWhenItsTimeHasCome() {
    again.put("a", NOW.plusMillis(20));
    queue.wake("a");
    runOne();

    Awaitility.await()
        .until(() -> {
          runAll();
          return ran.size() == 2;
        });
  }

  @Test
  void aRunReplacesTheTimeSetBefore() {
    again.put("a", NOW.plusMillis(200));
    queue.wake("a");
    runAll();
    queue.wake("a");
    runAll();

    Awaitility.await()
        .during(Duration.ofMillis(400))
        .atMost(Duration.ofSeconds(2))
        .until(() -> {
          runAll();
          return ran.size() == 2;
        });
  }

  @Test
  void ofManyRunsOnlyTheLastTimeIsKept() {
    for (int run = 0; run < 1000; run++) {
      again.put("a", NOW.plusSeconds(3600));
      queue.wake("a");
      runAll();
    }

    assertThat(ran).hasSize(1000);
    assertThat(timers.getQueue()).hasSize(1);
  }

  @Test
  void aFailingRunDoesNotStopTheOthers() {
    queue.wake("broken");
    queue.wake("a");
    runAll();

    assertThat(ran).containsExactly("broken", "a");
  }

  @Test
  void nothingRunsAfterStop() {
    queue.wake("a");
    queue.stop();
    queue.wake("b");
    runAll();

    assertThat(ran).isEmpty();
  }
}
