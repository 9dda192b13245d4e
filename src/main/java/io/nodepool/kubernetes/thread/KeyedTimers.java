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
 * At most one timer for each key. A timer waits for as long as the clock says when it is set, and
 * looks at no wall clock. Lives on one thread, on which it also wakes.
 */
public final class KeyedTimers<K> implements Timers<K> {
  private static final Logger log = LoggerFactory.getLogger(KeyedTimers.class);

  private final ScheduledExecutorService timers;
  private final Executor home;
  private final InstantSource clock;
  private final Consumer<K> wake;
  private final Map<K, Pending> pending = new HashMap<>();

  /** A timer that has not come; the token tells it from one that was set earlier. */
  private record Pending(Object token, Future<?> future) {}

  /**
   * @param timers calls back when a time has come; best one of {@link #thread}
   * @param home the thread on which these timers live; may be that of {@code timers}
   * @param wake told the keys whose time has come
   */
  public KeyedTimers(
      ScheduledExecutorService timers, Executor home, InstantSource clock, Consumer<K> wake) {
    this.timers = timers;
    this.home = home;
    this.clock = clock;
    this.wake = wake;
  }

  /**
   * A thread for timers. One that is cancelled is gone at once: a loop sets and cancels one at each
   * run, and each would otherwise be kept until its time comes.
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
    // A millisecond more, since a timer that fires a fraction early would find nothing to do.
    long millis = Math.max(0, wait.toMillis()) + 1;
    pending.put(
        key,
        new Pending(
            token, timers.schedule(() -> rings(key, token), millis, TimeUnit.MILLISECONDS)));
  }

  private void rings(K key, Object token) {
    try {
      home.execute(() -> fire(key, token));
    } catch (RejectedExecutionException e) {
      log.debug("nobody waits for {} any more", key);
    }
  }

  /** Does nothing if another time was set since this one came. */
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

  /** Forgets all times. */
  public void cancelAll() {
    pending.values().forEach(timer -> timer.future().cancel(false));
    pending.clear();
  }
}
