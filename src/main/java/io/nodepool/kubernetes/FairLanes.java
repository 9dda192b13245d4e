package io.nodepool.kubernetes;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs blocking tasks, a bounded number at once. Tasks belong to shares, which take turns: one with
 * a thousand tasks waiting does not delay the next task of another.
 */
final class FairLanes implements AutoCloseable {
  /** A task, and what is done instead if it is never begun. */
  private record Task(Runnable run, Runnable dropped) {}

  private final int width;
  private final Duration drain;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition idle = lock.newCondition();
  private final Map<String, Queue<Task>> waiting = new HashMap<>();
  private final Queue<String> turns = new ArrayDeque<>();
  private int running;
  private boolean closed;

  /**
   * @param width how many tasks run at once
   * @param drain how long closing waits for those that run
   */
  FairLanes(int width, Duration drain) {
    this.width = width;
    this.drain = drain;
  }

  /** Runs a task when its share's turn has come; after closing, {@code dropped} at once. */
  void execute(String share, Runnable task, Runnable dropped) {
    lock.lock();
    try {
      if (!closed) {
        waiting
            .computeIfAbsent(
                share,
                name -> {
                  turns.add(name);
                  return new ArrayDeque<>();
                })
            .add(new Task(task, dropped));
        startMore();
        return;
      }
    } finally {
      lock.unlock();
    }
    dropped.run();
  }

  private void startMore() {
    while (running < width && !turns.isEmpty()) {
      String share = turns.remove();
      Queue<Task> queue = waiting.getOrDefault(share, new ArrayDeque<>());
      Task task = queue.remove();
      if (queue.isEmpty()) {
        waiting.remove(share);
      } else {
        turns.add(share);
      }
      running++;
      Thread.ofVirtual().name("write").start(() -> run(task));
    }
  }

  private void run(Task task) {
    try {
      task.run().run();
    } finally {
      lock.lock();
      try {
        running--;
        startMore();
        idle.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** Tasks that wait or run. */
  int pending() {
    lock.lock();
    try {
      return running + waiting.values().stream().mapToInt(Queue::size).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Begins no further task, and waits, for a bounded time, for those that run. */
  @Override
  public void close() {
    Queue<Task> dropped = new ArrayDeque<>();
    lock.lock();
    try {
      closed = true;
      waiting.values().forEach(dropped::addAll);
      waiting.clear();
      turns.clear();
    } finally {
      lock.unlock();
    }
    dropped.forEach(task -> task.dropped().run());
    awaitIdle();
  }

  private void awaitIdle() {
    lock.lock();
    try {
      long left = drain.toNanos();
      while (running > 0 && left > 0) {
        left = idle.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
