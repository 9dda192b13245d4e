package io.nodepool.kubernetes.leader;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.thread.KeyedTimers;
import java.time.Duration;
import java.time.InstantSource;
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
 * Leads while it holds the one Lease of a cluster. The gate for writes closes earlier than another
 * process can take over: when the Lease was not renewed for 8 s on the monotonic clock, against 15
 * s for which it is respected.
 */
public final class Leadership implements WriteGate, AutoCloseable {
  /** Where the Lease is, whatever namespace an operator is in: two of them are one too many. */
  public static final String NAMESPACE = "kube-system";

  /** Name of the Lease. */
  public static final String LEASE = "nodepool-operator";

  private static final Logger log = LoggerFactory.getLogger(Leadership.class);
  private static final Duration AFTER_FAULT = Duration.ofSeconds(1);

  /** A request under way may have to end first. */
  private static final Duration LONGEST_RETURN = Clients.LEASE_TIME_OUT.multipliedBy(4);

  private final LeaderElection election;
  private final ScheduledExecutorService thread = KeyedTimers.thread("lease");
  private volatile boolean closed;

  /**
   * A candidate that does not stand yet.
   *
   * @param client a client of its own
   * @param identity what tells this process from others
   * @param wall the wall clock, for what the Lease says to people
   * @param nanoTime the monotonic clock
   * @param events told on the lease's thread, which they must not hold up; {@code lost} never once
   *     this is closed
   */
  public Leadership(
      KubernetesClient client,
      String identity,
      InstantSource wall,
      LongSupplier nanoTime,
      LeaderElection.Events events) {
    ApiRequests requests = new ApiRequests(client, WriteGate.ALWAYS_OPEN, Clients.LEASE_TIME_OUT);
    this.election =
        new LeaderElection(
            new LeaseRequests(requests, NAMESPACE, LEASE),
            identity,
            wall,
            nanoTime,
            new UntilClosed(events));
  }

  /** Stands for leadership until it is won. */
  public void start() {
    schedule(Duration.ZERO);
  }

  private void step() {
    try {
      election.step().ifPresent(this::schedule);
    } catch (RuntimeException e) {
      log.error("a step of the leader's election failed", e);
      schedule(AFTER_FAULT);
    }
  }

  private void schedule(Duration wait) {
    try {
      var _ = thread.schedule(this::step, wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      log.debug("nobody stands for leadership any more");
    }
  }

  /** Whether the Lease was renewed less than 8 s ago. */
  @Override
  public boolean isOpen() {
    return !closed && election.isOpen();
  }

  /** Gives the Lease back, so that another process need not wait for its end. */
  @Override
  public void close() {
    closed = true;
    Future<?> givenBack = thread.submit(election::giveBack);
    try {
      givenBack.get(LONGEST_RETURN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.warn("the Lease could not be given back: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    thread.shutdownNow();
  }

  /** A leadership that is given up is not lost. */
  private final class UntilClosed implements LeaderElection.Events {
    private final LeaderElection.Events told;

    UntilClosed(LeaderElection.Events told) {
      this.told = told;
    }

    @Override
    public void waits() {
      told.waits();
    }

    @Override
    public void won() {
      told.won();
    }

    @Override
    public void lost() {
      if (!closed) {
        told.lost();
      }
    }
  }
}
