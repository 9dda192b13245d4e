package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.client.OutageLog;
import io.nodepool.kubernetes.thread.KeyedTimers;
import io.nodepool.model.Observation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The version of the API server, which limits the versions of kubelets. It cannot be watched, so it
 * is read at the start and from time to time. An operator without the right to read it plans all
 * the same (decision D186).
 */
public final class ApiServerVersion implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ApiServerVersion.class);
  private static final Duration BETWEEN_READS = Duration.ofMinutes(10);
  private static final Duration FIRST_RETRY = Duration.ofSeconds(1);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final Consumer<Observation> out;
  private final ScheduledExecutorService thread = KeyedTimers.thread("api-server-version");
  private final CompletableFuture<Void> tried = new CompletableFuture<>();
  private final OutageLog outage =
      new OutageLog(
          "the version of the API server cannot be read, and no other configuration becomes active until it is",
          System::nanoTime,
          log::warn,
          log::info);

  /**
   * A reader that has not started.
   *
   * @param out receives the version each time that it was read
   */
  public ApiServerVersion(KubernetesClient client, Consumer<Observation> out) {
    this.client = client;
    this.out = out;
  }

  public void start() {
    thread.execute(() -> read(FIRST_RETRY));
  }

  /** Completes when the version was read once, or could not be read. */
  public CompletableFuture<Void> tried() {
    return tried;
  }

  private void read(Duration retry) {
    Duration next = BETWEEN_READS;
    Duration nextRetry = FIRST_RETRY;
    try {
      out.accept(new Observation.ApiServerSeen(client.getKubernetesVersion().getGitVersion()));
      outage.worked();
    } catch (RuntimeException e) {
      if (thread.isShutdown()) {
        return;
      }
      outage.failed(String.valueOf(e.getMessage()));
      next = retry;
      nextRetry = retry.multipliedBy(2);
    }
    tried.complete(null);
    again(next, nextRetry.compareTo(LONGEST_RETRY) < 0 ? nextRetry : LONGEST_RETRY);
  }

  private void again(Duration wait, Duration retry) {
    try {
      var _ = thread.schedule(() -> read(retry), wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("the operator has stopped");
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
    tried.cancel(false);
  }
}
