package io.nodepool.kubernetes.simulated;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * At most one timer for each key, on one thread: a later call for a key replaces the earlier one.
 * Lives on that thread.
 */
final class KeyedTimers implements Timers {
  private final ScheduledExecutorService thread;
  private final InstantSource clock;
  private final Consumer<Key> wake;
  private final Map<Key, ScheduledFuture<?>> pending = new HashMap<>();

  KeyedTimers(ScheduledExecutorService thread, InstantSource clock, Consumer<Key> wake) {
    this.thread = thread;
    this.clock = clock;
    this.wake = wake;
  }

  @Override
  public void at(Key key, Instant time) {
    cancel(key);
    Duration wait = Duration.between(clock.instant(), time);
    // A millisecond more, since a timer that fires a fraction early would find nothing to do.
    long millis = Math.max(0, wait.toMillis()) + 1;
    pending.put(key, thread.schedule(() -> fire(key), millis, TimeUnit.MILLISECONDS));
  }

  @Override
  public void cancel(Key key) {
    ScheduledFuture<?> timer = pending.remove(key);
    if (timer != null) {
      timer.cancel(false);
    }
  }

  private void fire(Key key) {
    pending.remove(key);
    wake.accept(key);
  }
}
