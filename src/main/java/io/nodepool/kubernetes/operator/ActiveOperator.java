package io.nodepool.kubernetes.operator;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import io.nodepool.control.Control;
import io.nodepool.control.MachinePlanning;
import io.nodepool.control.SteadyClock;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.fleet.HostFleet;
import io.nodepool.kubernetes.thread.DecisionThread;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.kubernetes.thread.KeyedTimers;
import io.nodepool.kubernetes.write.KubernetesWriter;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.Action;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.Metric;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator of a leading process: the watches, the decision thread with its loops, and the
 * writer. It exists as long as the leadership.
 */
public final class ActiveOperator implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ActiveOperator.class);
  private static final int WRITES_AT_ONCE = 16;
  private static final Duration DRAIN = Duration.ofSeconds(10);
  private static final long PAGE = 500;
  private static final long SAMPLE_SECONDS = 5;
  private static final long FIRST_RETRY_MILLIS = 500;
  private static final long LONGEST_RETRY_MILLIS = 30_000;

  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final OperatorMeters meters;
  private final DecisionThread decisions;
  private final ScheduledExecutorService timers = KeyedTimers.thread("timers");
  private final FairLanes lanes = new FairLanes(WRITES_AT_ONCE, DRAIN);
  private final InstantSource clock;
  private final PoolEventSource poolEvents = new PoolEventSource(this::observe);
  private final KeyedTimers<String> pools;
  private final ClusterWatches watches;
  private final Control control;
  private final LoopQueue machines;
  private final LoopQueue namespaces;
  private final LoopQueue writes;
  private final PoolReconciler reconciler;
  private final Operator runtime;
  private volatile boolean planning;
  private volatile boolean closed;

  /**
   * An operator that has not started.
   *
   * @param client the client for single requests
   * @param watching the client for lists and watches
   * @param failed receives the reason when the operator cannot continue
   */
  public ActiveOperator(
      KubernetesClient client,
      KubernetesClient watching,
      WriteGate gate,
      OperatorRuntime.Options options,
      Consumer<String> failed) {
    this.client = client;
    this.watching = watching;
    this.meters = new OperatorMeters(options.meters(), options.wall());
    this.decisions = new DecisionThread("decisions", meters::waited);
    this.clock = new SteadyClock(options.wall(), System::nanoTime);
    this.pools = new KeyedTimers<>(timers, decisions, clock, poolEvents::raise);
    ApiRequests requests = new ApiRequests(client, gate);
    HostFleet fleet = new HostFleet(requests, lanes, watching, options.namespace(), this::observe);
    KubernetesWriter writer =
        new KubernetesWriter(requests, fleet, clock, lanes, decisions, this::poolOf, meters::lost);
    this.control =
        new Control(
            new PoolPlanner(options.catalogue(), options.settings())::plan,
            MachinePlanning.by(new MachinePlanner(options.catalogue(), options.settings())),
            options.allControlPlane(),
            writer,
            this::wake,
            clock,
            options.timings(),
            options.settings().generation(),
            gate::resumed);
    this.machines = queue("machine", meters.timed("machine", control::reconcileMachine));
    this.namespaces = queue("Namespace", meters.timed("namespace", control::reconcileNamespace));
    this.writes = queue("writes", all -> control.reconcileWrites());
    this.watches = new ClusterWatches(watching, fleet, options.namespace(), this::observe);
    this.reconciler =
        new PoolReconciler(meters.timed("pool", control::reconcilePool), poolEvents, pools, clock);
    this.runtime = runtime(failed);
    meters.disruptions(control.disruptions());
    meters.deliveries(control.state().deliveries());
    meters.gauge(Metric.REQUESTS_PENDING, lanes::pending);
    meters.gauge(Metric.DECISIONS_WAITING, decisions::waiting);
  }

  private LoopQueue queue(String kind, Function<String, Optional<Instant>> loop) {
    return new LoopQueue(kind, loop, decisions, timers, clock);
  }

  private Operator runtime(Consumer<String> failed) {
    Operator operator =
        new Operator(overrider ->
            overrider
                .withKubernetesClient(client)
                .withExecutorService(decisions.lent())
                .withResourceCloner(new PoolCloner(client.getKubernetesSerialization()))
                .withCloseClientOnStop(false)
                .withMetrics(reconciler)
                .withInformerStoppedHandler((informer, failure) -> {
                  if (failure != null) {
                    failed.accept("the watch of NodePools ended: " + failure);
                  }
                }));
    operator.register(
        reconciler,
        overrider ->
            overrider
                .withName("nodepool")
                .withFinalizer(PoolConversion.FINALIZER)
                .withFieldManager(KubernetesWriter.FIELD_MANAGER)
                .withGenerationAware(false)
                .withInformerListLimit(PAGE)
                .withRetry(
                    new GenericRetry()
                        .setInitialInterval(FIRST_RETRY_MILLIS)
                        .setMaxInterval(LONGEST_RETRY_MILLIS)
                        .withoutMaxAttempts()));
    return operator;
  }

  /**
   * Starts the operator and blocks until it plans. All other kinds are listed while the runtime
   * starts and lists the pools, to keep a takeover short. Planning begins after both; until then,
   * the runtime's runs do nothing.
   *
   * @throws RuntimeException if the runtime cannot start
   */
  public void start() {
    watches.start();
    runtime.start();
    reconciler.listed().join();
    watches.listed().join();
    decisions.execute(control::listed);
    planning = true;
    var _ =
        timers.scheduleAtFixedRate(
            () ->
                decisions.execute(() -> {
                  meters.sample(control.writes(), control.state().unread().count());
                  meters.sample(control.state(), Duration.ofSeconds(SAMPLE_SECONDS));
                }),
            SAMPLE_SECONDS,
            SAMPLE_SECONDS,
            TimeUnit.SECONDS);
    log.info("the operator is planning");
  }

  /**
   * Performs the first part of a start without writing, and blocks until it is done: lists and
   * folds everything once, pools included. The runtime is not started, since it writes the pools'
   * finalizer.
   *
   * @throws RuntimeException if the operator is closed before or during the call
   */
  void rehearse() {
    watches.addPools(watching, poolEvents.feed());
    watches.start();
    watches.listed().join();
  }

  /**
   * Whether planning has begun and changes are received. The operator ends when the watch of pools
   * does.
   */
  public boolean isReady() {
    return planning && watches.isWatching();
  }

  /** Whether no decision has run for longer than this. */
  boolean isResponsive(Duration longest) {
    return decisions.isResponsive(longest);
  }

  private void observe(Observation seen) {
    decisions.execute(() -> {
      if (!closed) {
        meters.observe(seen);
        control.observe(seen);
      }
    });
  }

  /** A time without a leader has ended. */
  void resumed() {
    decisions.execute(control::resumed);
  }

  private String poolOf(Action.Subject subject) {
    return control.poolOf(subject);
  }

  private void wake(ReconcileKey key) {
    switch (key) {
      case ReconcileKey.OfPool(String name) -> poolEvents.raise(name);
      case ReconcileKey.OfMachine(String name) -> machines.wake(name);
      case ReconcileKey.OfNamespace(String name) -> namespaces.wake(name);
      case ReconcileKey.OfWrites _ -> writes.wake("all");
    }
  }

  /** Stops the stages in order: observing, planning, writing. */
  @Override
  public void close() {
    planning = false;
    closed = true;
    watches.close();
    decisions.execute(pools::cancelAll);
    decisions.execute(machines::stop);
    decisions.execute(namespaces::stop);
    decisions.execute(writes::stop);
    runtime.stop();
    lanes.close();
    decisions.close();
    timers.shutdownNow();
    meters.close();
  }
}
