package io.nodepool.kubernetes.leader;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.thread.KeyedTimers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leadership of a process, which leads while it holds the Lease of the cluster. The gate for
 * writes closes before another process can take over: 8 s after the last renewal on the monotonic
 * clock, while the Lease is respected for 15 s.
 */
public final class Leadership implements WriteGate, AutoCloseable {
  /**
   * The namespace of the Lease, independent of the operators' namespaces: a cluster must not have
   * two leaders.
   */
  public static final String NAMESPACE = "kube-system";

  /** Name of the Lease. */
  public static final String LEASE = "nodepool-operator";

  private static final Logger log = LoggerFactory.getLogger(Leadership.class);
  private static final Duration AFTER_FAULT = Duration.ofSeconds(1);

  /** A release may have to wait for a request in flight. */
  private static final Duration LONGEST_RELEASE = Clients.LEASE_TIME_OUT.multipliedBy(4);

  private final LeaderElection election;
  private final ScheduledExecutorService thread = KeyedTimers.thread("lease");
  private volatile boolean closed;

  /**
   * A candidate that has not started.
   *
   * @param client a client for the Lease alone
   * @param identity the identity of this process
   * @param wall the wall clock, for the times in the Lease
   * @param nanoTime the monotonic clock
   * @param events called on the Lease's thread, which they must not block; {@code lost} is never
   *     called after {@link #close}
   */
  public Leadership(
      KubernetesClient client,
      String identity,
      InstantSource wall,
      LongSupplier nanoTime,
      LeaderElection.Terms terms,
      LeaderElection.Events events) {
    ApiRequests requests = new ApiRequests(client, WriteGate.ALWAYS_OPEN, Clients.LEASE_TIME_OUT);
    this.election =
        new LeaderElection(
            new LeaseRequests(requests, NAMESPACE, LEASE, terms.settings()),
            identity,
            wall,
            nanoTime,
            terms,
            events);
  }

  /** Starts to compete for leadership. */
  public void start() {
    schedule(Duration.ZERO);
  }

  private void step() {
    try {
      election.step().ifPresent(this::schedule);
    } catch (RuntimeException e) {
      log.error("a step of the leader election failed", e);
      schedule(AFTER_FAULT);
    }
  }

  private void schedule(Duration wait) {
    try {
      var _ = thread.schedule(this::step, wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("the candidacy has ended");
    }
  }

  /** Whether the Lease was renewed less than 8 s ago. */
  @Override
  public boolean isOpen() {
    return !closed && election.isOpen();
  }

  @Override
  public Optional<Instant> resumed() {
    return election.resumed();
  }

  /** Releases the Lease, so that another process need not wait until it expires. */
  @Override
  public void close() {
    closed = true;
    Future<?> released = thread.submit(election::giveBack);
    try {
      released.get(LONGEST_RELEASE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.warn("the Lease could not be released: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }
}
