package io.nodepool.kubernetes.thread;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread on which all observations are folded and all decisions are made, in order of
 * submission. After its end, submitted tasks are dropped.
 */
public final class DecisionThread implements Executor, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DecisionThread.class);
  private static final Duration END = Duration.ofSeconds(5);

  private final String name;
  private final ThreadPoolExecutor thread;
  private final LongConsumer waited;

  /** Start of the running task on the monotonic clock, in nanoseconds; 0 while none runs. */
  private volatile long startedAt;

  /** A thread whose waiting times are not recorded. */
  public DecisionThread(String name) {
    this(name, nanos -> {});
  }

  /**
   * A thread.
   *
   * @param waited receives how long each task waited, in nanoseconds, before it runs
   */
  public DecisionThread(String name, LongConsumer waited) {
    this.name = name;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> Thread.ofPlatform().name(name).daemon().unstarted(task),
            (_, _) -> log.debug("{}: a task is dropped: the thread has ended", name));
    this.waited = waited;
  }

  @Override
  public void execute(Runnable task) {
    long asked = System.nanoTime();
    thread.execute(() -> {
      waited.accept(System.nanoTime() - asked);
      run(task);
    });
  }

  private void run(Runnable task) {
    startedAt = Math.max(1, System.nanoTime());
    try {
      task.run();
    } catch (RuntimeException e) {
      log.error("{}: a task failed; the next one runs", name, e);
    } finally {
      startedAt = 0;
    }
  }

  /** Whether no task has been running for longer than this. */
  public boolean isResponsive(Duration longest) {
    long since = startedAt;
    return since == 0 || System.nanoTime() - since < longest.toNanos();
  }

  /** The number of waiting tasks. */
  public int waiting() {
    return thread.getQueue().size();
  }

  /** A view of the thread for a runtime. Shutting down the view does not stop the thread. */
  public ExecutorService lent() {
    return new Lent();
  }

  /** Ends after the waiting tasks, after 5 s at the latest. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(END.toMillis(), TimeUnit.MILLISECONDS)) {
        log.warn("{}: {} tasks were left when it stopped", name, thread.shutdownNow().size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Lent extends AbstractExecutorService {
    private volatile boolean returned;

    @Override
    public void execute(Runnable task) {
      DecisionThread.this.execute(task);
    }

    @Override
    public void shutdown() {
      returned = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      returned = true;
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return returned;
    }

    @Override
    public boolean isTerminated() {
      return returned;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return returned;
    }
  }
}
