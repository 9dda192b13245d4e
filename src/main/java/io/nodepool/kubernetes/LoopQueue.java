package io.nodepool.kubernetes;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the loop of one kind of object, by name: soon after it was asked for, once however often it
 * was asked, and again when the loop itself said. Its state lives on the decision thread, and it is
 * called there only.
 */
final class LoopQueue {
  private static final Logger log = LoggerFactory.getLogger(LoopQueue.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final String kind;
  private final Function<String, Optional<Instant>> loop;
  private final Executor decisions;
  private final ScheduledExecutorService timers;
  private final InstantSource clock;
  private final Set<String> asked = new HashSet<>();
  private final Map<String, Future<?>> later = new HashMap<>();
  private boolean stopped;

  /**
   * @param kind what the log calls an object
   * @param loop runs for an object and says when to run again even if nothing happens
   * @param decisions the decision thread
   * @param timers calls back when a time has come
   */
  LoopQueue(
      String kind,
      Function<String, Optional<Instant>> loop,
      Executor decisions,
      ScheduledExecutorService timers,
      InstantSource clock) {
    this.kind = kind;
    this.loop = loop;
    this.decisions = decisions;
    this.timers = timers;
    this.clock = clock;
  }

  /** Asks for a run. */
  void wake(String name) {
    if (!stopped && asked.add(name)) {
      decisions.execute(() -> run(name));
    }
  }

  /** Runs nothing any more. */
  void stop() {
    stopped = true;
    later.values().forEach(timer -> timer.cancel(false));
    later.clear();
  }

  private void run(String name) {
    asked.remove(name);
    Future<?> timer = later.remove(name);
    if (timer != null) {
      timer.cancel(false);
    }
    if (!stopped) {
      runLoop(name).ifPresent(when -> runAgain(name, when));
    }
  }

  private Optional<Instant> runLoop(String name) {
    try {
      return loop.apply(name);
    } catch (RuntimeException e) {
      log.error("{} {}: its loop failed; next try in {}", kind, name, AFTER_FAILURE, e);
      return Optional.of(clock.instant().plus(AFTER_FAILURE));
    }
  }

  private void runAgain(String name, Instant when) {
    long delay = Math.max(1, Duration.between(clock.instant(), when).toMillis());
    later.put(name, timers.schedule(() -> wakeOnThread(name), delay, TimeUnit.MILLISECONDS));
  }

  private void wakeOnThread(String name) {
    try {
      decisions.execute(() -> wake(name));
    } catch (RejectedExecutionException e) {
      log.debug("{} {}: the operator is stopping", kind, name);
    }
  }
}
