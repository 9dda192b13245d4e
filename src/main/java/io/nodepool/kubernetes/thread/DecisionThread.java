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

/** The one thread on which everything is folded and decided, in the order in which it was asked. */
public final class DecisionThread implements Executor, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DecisionThread.class);
  private static final Duration END = Duration.ofSeconds(5);

  private final String name;
  private final ThreadPoolExecutor thread;
  private final LongConsumer waited;

  /** When the task that runs now began, on the monotonic clock; 0 while none runs. */
  private volatile long began;

  /** A thread whose queue nobody watches. */
  public DecisionThread(String name) {
    this(name, nanos -> {});
  }

  /**
   * A thread.
   *
   * @param waited told of each task, before it runs, how many nanoseconds it waited
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
            task -> Thread.ofPlatform().name(name).daemon().unstarted(task));
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
    began = Math.max(1, System.nanoTime());
    try {
      task.run();
    } catch (RuntimeException e) {
      log.error("{}: a task failed, and the next one follows", name, e);
    } finally {
      began = 0;
    }
  }

  /** Whether no task has been running for longer than this. */
  public boolean isResponsive(Duration longest) {
    long since = began;
    return since == 0 || System.nanoTime() - since < longest.toNanos();
  }

  /** Tasks that wait. */
  public int waiting() {
    return thread.getQueue().size();
  }

  /** The thread for a runtime that would shut it down, which this does not let it do. */
  public ExecutorService lent() {
    return new Lent();
  }

  /** Ends after the tasks that wait, at the latest after 5 s. */
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
