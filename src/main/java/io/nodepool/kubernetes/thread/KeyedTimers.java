package io.nodepool.kubernetes.thread;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * At most one timer for each key. The wait is computed from the clock when the timer is set, and
 * does not depend on the wall clock. Confined to one thread, on which keys are also woken.
 */
public final class KeyedTimers<K> implements Timers<K> {
  private static final Logger log = LoggerFactory.getLogger(KeyedTimers.class);

  private final ScheduledExecutorService timers;
  private final Executor home;
  private final InstantSource clock;
  private final Consumer<K> wake;
  private final Map<K, Pending> pending = new HashMap<>();

  /** A pending timer; the token distinguishes it from a timer that was set earlier. */
  private record Pending(Object token, Future<?> future) {}

  /**
   * @param timers fires at the requested times; preferably one of {@link #thread}
   * @param home the thread to which these timers are confined; may be that of {@code timers}
   * @param wake receives the keys whose time has come
   */
  public KeyedTimers(
      ScheduledExecutorService timers, Executor home, InstantSource clock, Consumer<K> wake) {
    this.timers = timers;
    this.home = home;
    this.clock = clock;
    this.wake = wake;
  }

  /**
   * A thread for timers. A cancelled timer is removed at once: a loop sets and cancels a timer at
   * each run, and every timer would otherwise be kept until its time.
   */
  public static ScheduledThreadPoolExecutor thread(String name) {
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().name(name).daemon().factory());
    thread.setRemoveOnCancelPolicy(true);
    return thread;
  }

  @Override
  public void at(K key, Instant time) {
    cancel(key);
    Duration wait = Duration.between(clock.instant(), time);
    Object token = new Object();
    // One more millisecond, since a timer that fires slightly early would find nothing due.
    long millis = Math.max(0, wait.toMillis()) + 1;
    try {
      Future<?> future = timers.schedule(() -> ring(key, token), millis, TimeUnit.MILLISECONDS);
      pending.put(key, new Pending(token, future));
    } catch (RejectedExecutionException e) {
      log.debug("no timer is set for {}: the thread of the timers has ended", key);
    }
  }

  private void ring(K key, Object token) {
    try {
      home.execute(() -> fire(key, token));
    } catch (RejectedExecutionException e) {
      log.debug("the timer of {} is dropped: its thread has ended", key);
    }
  }

  /** Wakes the key, unless another time was set since this timer fired. */
  private void fire(K key, Object token) {
    Pending timer = pending.get(key);
    if (timer != null && timer.token().equals(token)) {
      pending.remove(key);
      wake.accept(key);
    }
  }

  @Override
  public void cancel(K key) {
    Pending timer = pending.remove(key);
    if (timer != null) {
      timer.future().cancel(false);
    }
  }

  /** Cancels all timers. */
  public void cancelAll() {
    pending.values().forEach(timer -> timer.future().cancel(false));
    pending.clear();
  }
}
