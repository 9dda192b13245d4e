package io.nodepool.kubernetes.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyedTimersTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:02:00Z");

  private final ScheduledThreadPoolExecutor thread = KeyedTimers.thread("test");

  /** Tasks for the timers' home thread; the test runs them. */
  private final List<Runnable> given = new ArrayList<>();

  private final List<String> woken = new ArrayList<>();
  private final KeyedTimers<String> timers =
      new KeyedTimers<>(thread, this::give, InstantSource.fixed(NOW), woken::add);

  @AfterEach
  void stop() {
    thread.shutdownNow();
  }

  private void give(Runnable task) {
    synchronized (given) {
      given.add(task);
    }
  }

  private List<Runnable> given() {
    synchronized (given) {
      return List.copyOf(given);
    }
  }

  @Test
  void ofManyTimesForAKeyOnlyTheLastIsKept() {
    for (int i = 0; i < 10_000; i++) {
      timers.at("a", NOW.plusSeconds(3600));
      timers.at("b", NOW.plusSeconds(1800));
    }
    assertThat(thread.getQueue()).hasSize(2);

    timers.cancel("a");
    assertThat(thread.getQueue()).hasSize(1);
    timers.cancelAll();
    assertThat(thread.getQueue()).isEmpty();
  }

  @Test
  void aKeyIsWokenOnceWhenItsTimeHasCome() {
    timers.at("a", NOW.minusSeconds(1));
    Awaitility.await().until(() -> given().size() == 1);
    assertThat(woken).isEmpty();

    given().getFirst().run();

    assertThat(woken).containsExactly("a");
    assertThat(thread.getQueue()).isEmpty();
  }

  /** The answer to a write may arrive while its program ends. */
  @Test
  void aTimeThatIsSetAfterTheThreadEndedIsDropped() {
    thread.shutdownNow();

    timers.at("a", NOW.plusSeconds(1));

    timers.cancelAll();
    assertThat(thread.getQueue()).isEmpty();
    assertThat(woken).isEmpty();
  }

  @Test
  void aTimeThatWasReplacedAfterItFiredWakesNothing() {
    timers.at("a", NOW);
    Awaitility.await().until(() -> given().size() == 1);
    timers.at("a", NOW.plusSeconds(3600));
    given().getFirst().run();
    assertThat(woken).isEmpty();

    timers.cancel("a");
    assertThat(thread.getQueue()).isEmpty();
  }
}
