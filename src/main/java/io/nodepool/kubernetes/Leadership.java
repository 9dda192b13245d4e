package io.nodepool.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaderElectionRecord;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.Lock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Leads while it holds a Lease. The gate for writes closes earlier than another process can take
 * over: when the Lease was not renewed for 8 s on the monotonic clock, against 15 s of its
 * validity.
 */
final class Leadership implements WriteGate, AutoCloseable {
  /** Name of the Lease. */
  static final String LEASE = "nodepool-operator";

  private static final Logger log = LoggerFactory.getLogger(Leadership.class);
  private static final Duration VALID = Duration.ofSeconds(15);
  private static final Duration RENEW_WITHIN = Duration.ofSeconds(10);
  private static final Duration RENEW_EVERY = Duration.ofSeconds(2);

  /**
   * How often a candidate looks, at the least; the elector waits up to 2.2 times as long. A Lease
   * that was given back is not to lie about for seconds.
   */
  private static final Duration RETRY = Duration.ofMillis(250);

  private static final Duration WRITES_AFTER_RENEWAL = Duration.ofSeconds(8);

  private final String namespace;
  private final String identity;
  private final LongSupplier nanoTime;
  private final LeaderElector elector;
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("lease").daemon().factory());
  private final AtomicBoolean ended = new AtomicBoolean();
  private volatile Optional<Long> renewed = Optional.empty();
  private boolean leaderSeen;
  private @Nullable CompletableFuture<?> running;

  /**
   * A candidate that does not stand yet.
   *
   * @param client a client of its own
   * @param identity what tells this process from others
   * @param nanoTime the monotonic clock
   * @param waits called at most once, on the lease's thread, which it must not hold up: somebody
   *     else is seen to lead before it was won
   * @param won called once, on the lease's thread, which it must not hold up
   * @param lost called at most once, after {@code won}; never for a leadership given up by closing
   */
  Leadership(
      KubernetesClient client,
      String namespace,
      String identity,
      LongSupplier nanoTime,
      Runnable waits,
      Runnable won,
      Runnable lost) {
    this.namespace = namespace;
    this.identity = identity;
    this.nanoTime = nanoTime;
    Runnable onLost =
        () -> {
          renewed = Optional.empty();
          if (ended.compareAndSet(false, true)) {
            lost.run();
          }
        };
    LeaderElectionConfig config =
        new LeaderElectionConfig(
            new WatchedLock(new LeaseLock(namespace, LEASE, identity)),
            VALID,
            RENEW_WITHIN,
            RETRY,
            new LeaderCallbacks(won, onLost, leader -> noteLeader(leader, waits)),
            true,
            LEASE);
    this.elector = new LeaderElector(client, config, thread);
  }

  private void noteLeader(@Nullable String leader, Runnable waits) {
    log.info("the leader is {}", leader);
    boolean first = !leaderSeen;
    leaderSeen = true;
    if (first && !identity.equals(leader)) {
      waits.run();
    }
  }

  /** Stands for leadership until it is won. */
  void start() {
    running = elector.start();
  }

  /** Whether the Lease was renewed less than 8 s ago. */
  @Override
  public boolean isOpen() {
    return renewed
        .map(when -> nanoTime.getAsLong() - when < WRITES_AFTER_RENEWAL.toNanos())
        .orElse(false);
  }

  /** Gives the Lease back, so that another process need not wait for its end. */
  @Override
  public void close() {
    ended.set(true);
    if (running != null) {
      running.cancel(true);
    }
    renewed = Optional.empty();
    thread.shutdown();
  }

  /**
   * A lock that notes when it was last taken or renewed: at the time its request was sent. The
   * elector renews as often as it looks; most of these renewals are left out. The elector calls it
   * from one thread at a time.
   */
  private final class WatchedLock implements Lock {
    private final Lock lock;

    /** What was last written, if we held the lock with it. */
    private Optional<LeaderElectionRecord> held = Optional.empty();

    private boolean leftOut;

    WatchedLock(Lock lock) {
      this.lock = lock;
    }

    @Override
    public @Nullable LeaderElectionRecord get(KubernetesClient client) {
      leftOut = held.isPresent() && isFresh();
      return leftOut ? held.get() : lock.get(client);
    }

    private boolean isFresh() {
      return renewed.map(when -> nanoTime.getAsLong() - when < RENEW_EVERY.toNanos()).orElse(false);
    }

    @Override
    public void create(KubernetesClient client, LeaderElectionRecord lease) {
      long sent = nanoTime.getAsLong();
      lock.create(client, lease);
      note(lease, sent);
    }

    @Override
    public void update(KubernetesClient client, LeaderElectionRecord lease) {
      if (!isOurs(lease)) {
        giveBack(client);
        note(lease, 0);
      } else if (!leftOut) {
        long sent = nanoTime.getAsLong();
        lock.update(client, lease);
        note(lease, sent);
      }
    }

    /**
     * The library's own way leaves the holder in the Lease and makes it valid for one more second,
     * which the next one would wait.
     */
    private void giveBack(KubernetesClient client) {
      String ifStillOurs =
          """
          [{"op": "test", "path": "/spec/holderIdentity", "value": "%s"},
           {"op": "remove", "path": "/spec/holderIdentity"}]
          """
              .formatted(identity);
      try {
        client
            .leases()
            .inNamespace(namespace)
            .withName(LEASE)
            .patch(PatchContext.of(PatchType.JSON), ifStillOurs);
      } catch (KubernetesClientException e) {
        if (e.getCode() != Reply.UNPROCESSABLE) {
          throw e;
        }
        log.info("somebody else leads by now: there is no Lease to give back");
      }
    }

    private boolean isOurs(@Nullable LeaderElectionRecord lease) {
      return lease != null && identity().equals(lease.getHolderIdentity());
    }

    private void note(LeaderElectionRecord lease, long sent) {
      boolean ours = isOurs(lease);
      held = ours ? Optional.of(lease) : Optional.empty();
      renewed = ours ? Optional.of(sent) : Optional.empty();
    }

    @Override
    public String identity() {
      return lock.identity();
    }

    @Override
    public String describe() {
      return lock.describe();
    }
  }
}
