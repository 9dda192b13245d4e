package io.nodepool.kubernetes.thread;

import io.nodepool.fleet.Answer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor of blocking tasks, a bounded number at once. Tasks belong to shares, which take
 * turns: a share with a thousand waiting tasks does not delay the next task of another share.
 * Neither does a share with slow tasks: no share ever has all lanes, or more than half of them
 * while others wait.
 */
public final class FairLanes implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FairLanes.class);

  /** A task, and what runs instead if it is never started. */
  private record Task(Runnable run, Runnable dropped) {}

  /**
   * The part of the lanes, as a divisor, that is reserved for other shares, even while none waits.
   */
  private static final int RESERVED = 4;

  private final int width;
  private final Duration drain;
  private final Map<String, Queue<Task>> waiting = new HashMap<>();
  private final Deque<String> turns = new ArrayDeque<>();
  private final Map<String, Integer> runningOf = new HashMap<>();
  private int running;
  private boolean closed;

  /**
   * Lanes without tasks.
   *
   * @param width how many tasks run at once
   * @param drain how long {@link #close} waits for running tasks
   */
  public FairLanes(int width, Duration drain) {
    this.width = width;
    this.drain = drain;
  }

  /**
   * Runs a task when its share has its turn; runs {@code dropped} at once if the lanes are closed.
   */
  public void execute(String share, Runnable task, Runnable dropped) {
    if (!accepted(share, new Task(task, dropped))) {
      dropped.run();
    }
  }

  /** Runs a task, now or later. Returns whether the lanes are open. */
  private synchronized boolean accepted(String share, Task task) {
    if (closed) {
      return false;
    }
    waiting
        .computeIfAbsent(
            share,
            name -> {
              turns.add(name);
              return new ArrayDeque<>();
            })
        .add(task);
    startMore();
    return true;
  }

  /**
   * Runs a request when its share has its turn, and passes on its answer: {@link Answer.Unknown} if
   * it throws, {@link Answer.Unavailable} if it is never started.
   */
  public <T> void answer(String share, Supplier<Answer<T>> request, Consumer<Answer<T>> answer) {
    execute(share, () -> answer.accept(answered(request)), () -> answer.accept(stopping()));
  }

  /**
   * The answer of a request; {@link Answer.Unknown} if it throws, since the request may have taken
   * effect.
   */
  public static <T> Answer<T> answered(Supplier<Answer<T>> request) {
    try {
      return request.get();
    } catch (RuntimeException e) {
      log.error("a request failed with an unexpected error", e);
      return new Answer.Unknown<>(e.toString());
    }
  }

  /** The answer to a request that was not started before the operator stopped. */
  public static <T> Answer<T> stopping() {
    return new Answer.Unavailable<>("the operator is stopping");
  }

  private void startMore() {
    boolean started = true;
    while (started && running < width) {
      started = startNext();
    }
  }

  /** Starts a task of the next share that may have more lanes. Returns whether there is one. */
  private boolean startNext() {
    int others = turns.size();
    for (int i = 0; i < others; i++) {
      String share = turns.removeFirst();
      if (mayHaveMore(share)) {
        start(share);
        return true;
      }
      turns.addLast(share);
    }
    return false;
  }

  private boolean mayHaveMore(String share) {
    int most = turns.isEmpty() ? width - width / RESERVED : width / 2;
    return runningOf.getOrDefault(share, 0) < Math.max(1, most);
  }

  private void start(String share) {
    Queue<Task> queue = waiting.getOrDefault(share, new ArrayDeque<>());
    Task task = queue.remove();
    if (queue.isEmpty()) {
      waiting.remove(share);
    } else {
      turns.addLast(share);
    }
    running++;
    runningOf.merge(share, 1, Integer::sum);
    Thread.ofVirtual().name("write").start(() -> run(share, task));
  }

  private void run(String share, Task task) {
    try {
      task.run().run();
    } finally {
      ended(share);
    }
  }

  private synchronized void ended(String share) {
    running--;
    runningOf.computeIfPresent(share, (_, count) -> count == 1 ? null : count - 1);
    startMore();
    notifyAll();
  }

  /** The number of running tasks of a share. */
  synchronized int running(String share) {
    return runningOf.getOrDefault(share, 0);
  }

  /** The number of waiting and running tasks. */
  public synchronized int pending() {
    return running + waiting.values().stream().mapToInt(Queue::size).sum();
  }

  /** Starts no further task, and waits a bounded time for the running ones. */
  @Override
  public void close() {
    dropWaiting().forEach(task -> task.dropped().run());
    awaitIdle();
  }

  private synchronized Queue<Task> dropWaiting() {
    Queue<Task> dropped = new ArrayDeque<>();
    closed = true;
    waiting.values().forEach(dropped::addAll);
    waiting.clear();
    turns.clear();
    return dropped;
  }

  private synchronized void awaitIdle() {
    long end = System.nanoTime() + drain.toNanos();
    try {
      while (running > 0 && end - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
