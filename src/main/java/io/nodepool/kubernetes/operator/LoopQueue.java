package io.nodepool.kubernetes.operator;

import io.nodepool.kubernetes.thread.KeyedTimers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of one loop, by object name. It runs the loop once for any number of pending requests,
 * and again at the time that the loop returned. Its state is confined to the decision thread, where
 * all calls are made.
 */
final class LoopQueue {
  private static final Logger log = LoggerFactory.getLogger(LoopQueue.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final String kind;
  private final Function<String, Optional<Instant>> loop;
  private final Executor decisions;
  private final InstantSource clock;
  private final KeyedTimers<String> later;
  private final Set<String> asked = new HashSet<>();
  private boolean stopped;

  /**
   * @param kind the kind of object, for the log
   * @param loop runs for an object and returns when to run again even if nothing changes
   * @param decisions the decision thread
   * @param timers fires at the requested times
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
    this.clock = clock;
    this.later = new KeyedTimers<>(timers, decisions, clock, this::wake);
  }

  /** Requests a run. */
  void wake(String name) {
    if (!stopped && asked.add(name)) {
      decisions.execute(() -> run(name));
    }
  }

  /** Runs nothing from now on. */
  void stop() {
    stopped = true;
    later.cancelAll();
  }

  private void run(String name) {
    asked.remove(name);
    later.cancel(name);
    if (!stopped) {
      runLoop(name).ifPresent(when -> later.at(name, when));
    }
  }

  private Optional<Instant> runLoop(String name) {
    try {
      return loop.apply(name);
    } catch (RuntimeException e) {
      log.error("{} {}: its loop failed; retried in {}", kind, name, AFTER_FAILURE, e);
      return Optional.of(clock.instant().plus(AFTER_FAILURE));
    }
  }
}
