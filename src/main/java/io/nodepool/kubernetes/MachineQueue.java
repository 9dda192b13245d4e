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
 * Runs the machines' loop, by name: soon after it was asked for, once however often it was asked,
 * and again when the loop itself said. Its state lives on the decision thread, and it is called
 * there only.
 */
final class MachineQueue {
  private static final Logger log = LoggerFactory.getLogger(MachineQueue.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final Function<String, Optional<Instant>> loop;
  private final Executor decisions;
  private final ScheduledExecutorService timers;
  private final InstantSource clock;
  private final Set<String> asked = new HashSet<>();
  private final Map<String, Future<?>> later = new HashMap<>();
  private boolean stopped;

  /**
   * @param loop runs for a machine and says when to run again even if nothing happens
   * @param decisions the decision thread
   * @param timers calls back when a time has come
   */
  MachineQueue(
      Function<String, Optional<Instant>> loop,
      Executor decisions,
      ScheduledExecutorService timers,
      InstantSource clock) {
    this.loop = loop;
    this.decisions = decisions;
    this.timers = timers;
    this.clock = clock;
  }

  /** Asks for a run. */
  void wake(String machine) {
    if (!stopped && asked.add(machine)) {
      decisions.execute(() -> run(machine));
    }
  }

  /** Runs nothing any more. */
  void stop() {
    stopped = true;
    later.values().forEach(timer -> timer.cancel(false));
    later.clear();
  }

  private void run(String machine) {
    asked.remove(machine);
    Future<?> timer = later.remove(machine);
    if (timer != null) {
      timer.cancel(false);
    }
    if (!stopped) {
      runLoop(machine).ifPresent(when -> runAgain(machine, when));
    }
  }

  private Optional<Instant> runLoop(String machine) {
    try {
      return loop.apply(machine);
    } catch (RuntimeException e) {
      log.error("machine {}: its loop failed; next try in {}", machine, AFTER_FAILURE, e);
      return Optional.of(clock.instant().plus(AFTER_FAILURE));
    }
  }

  private void runAgain(String machine, Instant when) {
    long delay = Math.max(1, Duration.between(clock.instant(), when).toMillis());
    later.put(machine, timers.schedule(() -> wakeOnThread(machine), delay, TimeUnit.MILLISECONDS));
  }

  private void wakeOnThread(String machine) {
    try {
      decisions.execute(() -> wake(machine));
    } catch (RejectedExecutionException e) {
      log.debug("machine {}: the operator is stopping", machine);
    }
  }
}
