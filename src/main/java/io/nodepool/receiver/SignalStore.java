package io.nodepool.receiver;

import io.nodepool.fleet.HostId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.receiver.StoredSignals.Times;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores signals. For one Host, one write runs at a time, and the signals that arrive meanwhile are
 * stored with the next write. Writes for several Hosts run in parallel, a bounded number at once.
 * Safe for any thread.
 */
final class SignalStore implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SignalStore.class);

  /** Writes signals of one Host. */
  @FunctionalInterface
  interface Write {
    /** Blocks until the outcome is known. */
    WriteOutcome write(HostId host, Map<SignalKey, Signal> signals);
  }

  /** The signals that the next write of a Host stores. */
  private static final class Batch {
    private final SortedMap<SignalKey, Signal> signals = new TreeMap<>();
    private final CompletableFuture<WriteOutcome> outcome = new CompletableFuture<>();

    void add(Map<SignalKey, Signal> more) {
      more.forEach((key, signal) ->
          signals.merge(
              key,
              signal,
              (is, received) ->
                  NotificationPlan.isChange(Optional.of(Times.of(is)), received) ? received : is));
    }

    WriteOutcome failed(String why) {
      return WriteOutcome.failed(signals.keySet(), why);
    }
  }

  private final ConcurrentHashMap<HostId, Batch> waiting = new ConcurrentHashMap<>();
  private final Write write;
  private final Semaphore atOnce;
  private final Duration longestWait;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  /**
   * A store.
   *
   * @param writesAtOnce the most writes in flight
   * @param longestWait how long a write may wait for other writes before it is given up
   */
  SignalStore(Write write, int writesAtOnce, Duration longestWait) {
    this.write = write;
    this.atOnce = new Semaphore(writesAtOnce);
    this.longestWait = longestWait;
  }

  /**
   * Stores signals of a Host. Completes with the outcome of the write, which may include other
   * signals.
   */
  CompletableFuture<WriteOutcome> store(HostId host, Map<SignalKey, Signal> signals) {
    CompletableFuture<CompletableFuture<WriteOutcome>> joined = new CompletableFuture<>();
    // A Host has a batch as long as a thread writes for it.
    waiting.compute(
        host,
        (_, present) -> {
          Batch batch = present == null ? new Batch() : present;
          batch.add(signals);
          joined.complete(batch.outcome);
          if (present == null) {
            threads.execute(() -> writeAll(host));
          }
          return batch;
        });
    return joined.join();
  }

  /** Writes one batch after the other until nothing arrived during the last one. */
  private void writeAll(HostId host) {
    for (Optional<Batch> next = take(host); next.isPresent(); next = take(host)) {
      Batch batch = next.get();
      batch.outcome.complete(written(host, batch));
    }
  }

  /** Takes the batch that is written next; if there is none, ends the writes for the Host. */
  private Optional<Batch> take(HostId host) {
    CompletableFuture<Batch> taken = new CompletableFuture<>();
    waiting.compute(
        host,
        (_, batch) -> {
          if (batch == null || batch.signals.isEmpty()) {
            taken.cancel(false);
            return null;
          }
          taken.complete(batch);
          return new Batch();
        });
    return taken.isCancelled() ? Optional.empty() : Optional.of(taken.join());
  }

  private WriteOutcome written(HostId host, Batch batch) {
    boolean permitted = false;
    try {
      permitted = atOnce.tryAcquire(longestWait.toMillis(), TimeUnit.MILLISECONDS);
      return permitted
          ? write.write(host, batch.signals)
          : batch.failed("too many other signals are being stored");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return batch.failed("the operator is stopping");
    } catch (RuntimeException e) {
      log.error("signals of Host {} could not be stored", host.name(), e);
      return batch.failed(e.toString());
    } finally {
      if (permitted) {
        atOnce.release();
      }
    }
  }

  /** Waits for the writes in flight; signals that still wait may not be stored. */
  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(longestWait.toMillis(), TimeUnit.MILLISECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
