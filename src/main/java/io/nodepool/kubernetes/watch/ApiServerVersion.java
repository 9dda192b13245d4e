package io.nodepool.kubernetes.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.control.write.BackOff;
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
  private static final BackOff RETRIES = new BackOff(Duration.ofSeconds(1), Duration.ofSeconds(30));

  private final KubernetesClient client;
  private final Consumer<Observation> out;
  private final ScheduledExecutorService thread = KeyedTimers.thread("api-server-version");
  private final CompletableFuture<Void> tried = new CompletableFuture<>();
  private final OutageLog outage =
      OutageLog.of(
          "the version of the API server cannot be read, and no other configuration becomes active until it is",
          log);

  /**
   * A reader that has not started.
   *
   * @param out receives the version each time that it was read
   */
  public ApiServerVersion(KubernetesClient client, Consumer<Observation> out) {
    this.client = client;
    this.out = out;
  }

  /** Starts to read the version. */
  public void start() {
    thread.execute(() -> read(1));
  }

  /** Completes after the first attempt to read the version. */
  public CompletableFuture<Void> tried() {
    return tried;
  }

  /**
   * Reads the version, and again later.
   *
   * @param attempt counts the reads since the last one that succeeded
   */
  private void read(int attempt) {
    try {
      out.accept(new Observation.ApiServerSeen(client.getKubernetesVersion().getGitVersion()));
      outage.worked();
      again(BETWEEN_READS, 1);
    } catch (RuntimeException e) {
      if (thread.isShutdown()) {
        return;
      }
      outage.failed(String.valueOf(e.getMessage()));
      again(RETRIES.after(attempt), attempt + 1);
    }
    tried.complete(null);
  }

  private void again(Duration wait, int attempt) {
    try {
      var _ = thread.schedule(() -> read(attempt), wait.toMillis(), TimeUnit.MILLISECONDS);
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
