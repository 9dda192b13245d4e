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
  private final InstantSource clock;
  private final KeyedTimers<String> later;
  private final Set<String> asked = new HashSet<>();
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
    this.clock = clock;
    this.later = new KeyedTimers<>(timers, decisions, clock, this::wake);
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
      log.error("{} {}: its loop failed; next try in {}", kind, name, AFTER_FAILURE, e);
      return Optional.of(clock.instant().plus(AFTER_FAILURE));
    }
  }
}
