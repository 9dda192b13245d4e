package io.nodepool.kubernetes.operator;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.leader.LeaderElection;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.Metric;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The operator as a process: it competes for leadership, and watches, plans and writes while it
 * leads. A process that lost its leadership must end; another one takes over.
 */
public final class OperatorRuntime implements AutoCloseable {
  /** The operator's namespace, which holds the fleet's offer. */
  public static final String NAMESPACE = OfferDocument.NAMESPACE;

  /**
   * The namespace of the Lease, which all operators of a cluster share, independent of their
   * namespaces.
   */
  public static final String LEASE_NAMESPACE = Leadership.NAMESPACE;

  private static final Logger log = LoggerFactory.getLogger(OperatorRuntime.class);
  private static final Duration LONGEST_DECISION = Duration.ofSeconds(60);

  /**
   * The options of a process.
   *
   * @param namespace the namespace of the fleet's offer; it must exist
   * @param identity the identity of this process among the candidates for leadership
   * @param catalogue the instance types that exist
   * @param settings the settings of planning
   * @param controlPlane Namespaces whose Pods are not tenant work, in addition to the operator's
   *     own and that of verification Jobs
   * @param wall the wall clock. The operator's own clock is set from it when the process begins to
   *     lead, and is steady from then on
   * @param reporting where metrics and the end are reported
   */
  @RecordBuilder
  public record Options(
      String namespace,
      String identity,
      InstanceCatalogue catalogue,
      PlanSettings settings,
      ControlPlaneNamespaces controlPlane,
      LoopSettings timings,
      InstantSource wall,
      Reporting reporting)
      implements OperatorRuntimeOptionsCopy.With {
    /** All control-plane Namespaces, with the operator's own and that of verification Jobs. */
    ControlPlaneNamespaces allControlPlane() {
      ControlPlaneNamespaces withOwn = controlPlane.and(namespace);
      return settings.repair().jobs().map(jobs -> withOwn.and(jobs.namespace())).orElse(withOwn);
    }

    /** The registry that counts requests and queues. */
    MeterRegistry meters() {
      return reporting.meters();
    }

    /** Receives why the operator ended. */
    public Consumer<String> ended() {
      return reporting.ended();
    }
  }

  /**
   * Where a process reports its metrics and its end.
   *
   * @param meters the registry that counts requests and queues
   * @param ended receives, at most once and not for {@link #close}, why the operator ended; the
   *     process must then end too
   */
  public record Reporting(MeterRegistry meters, Consumer<String> ended) {}

  private final Options options;
  private final RequestMeter meter;
  private final KubernetesClient client;
  private final KubernetesClient watching;
  private final KubernetesClient leasing;
  private final Leadership leadership;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Guarded by this. */
  private Optional<ActiveOperator> active = Optional.empty();

  private volatile boolean rehearsed;

  /** Guarded by this; the caller that takes it must close it. */
  private Optional<ActiveOperator> rehearsal = Optional.empty();

  private OperatorRuntime(Config config, Options options, LeaderElection.Rivals rivals) {
    this.options = options;
    this.meter = new RequestMeter(options.meters());
    this.client = Clients.forRequests(config, meter);
    this.watching = Clients.forWatches(config, meter);
    this.leasing = Clients.forLease(config, meter);
    this.leadership =
        new Leadership(
            leasing,
            options.identity(),
            options.wall(),
            System::nanoTime,
            new LeaderElection.Terms(
                rivals,
                options.settings().repair().hold(),
                String.join(", ", options.settings().changed())),
            new Election());
    Gauge.builder(Metric.LEADER.id(), () -> leadership.isOpen() ? 1 : 0)
        .description(Metric.LEADER.meaning())
        .register(options.meters());
    Gauge.builder(Metric.PLANNING.id(), () -> isPlanning() ? 1 : 0)
        .description(Metric.PLANNING.meaning())
        .register(options.meters());
  }

  /** Handles the events of the election on other threads, so as not to block it. */
  private final class Election implements LeaderElection.Events {
    @Override
    public void waits() {
      Thread.ofPlatform().name("rehearsal").daemon().start(OperatorRuntime.this::rehearse);
    }

    @Override
    public void resumed(Instant at) {
      OperatorRuntime.this.resumed(at);
    }

    @Override
    public void won() {
      Thread.ofPlatform().name("operator-start").daemon().start(OperatorRuntime.this::lead);
    }

    @Override
    public void lost() {
      end("leadership was lost");
    }
  }

  /** Starts a process that competes for leadership; returns at once. */
  public static OperatorRuntime start(Config config, Options options) {
    return start(config, options, LeaderElection.Rivals.POSSIBLE);
  }

  /**
   * Starts the only process of a cluster that competes for leadership: it does not end when the API
   * server pauses, since no other process would take over.
   */
  public static OperatorRuntime startAlone(Config config, Options options) {
    return start(config, options, LeaderElection.Rivals.NONE);
  }

  private static OperatorRuntime start(
      Config config, Options options, LeaderElection.Rivals rivals) {
    OperatorRuntime runtime = new OperatorRuntime(config, options, rivals);
    runtime.leadership.start();
    return runtime;
  }

  /**
   * Performs the first part of a start while another process leads, since a cold JVM takes seconds
   * for it and a takeover must be short. The result is discarded: a new leader must list again. A
   * closed gate prevents writes.
   */
  private void rehearse() {
    try {
      prepareRehearsal().ifPresent(ActiveOperator::rehearse);
      rehearsed = true;
    } catch (RuntimeException e) {
      log.debug("the rehearsal was interrupted", e);
    }
    endRehearsal();
  }

  private synchronized Optional<ActiveOperator> prepareRehearsal() {
    if (!closed.get() && active.isEmpty()) {
      Reporting none = new Reporting(new SimpleMeterRegistry(), why -> {});
      rehearsal =
          Optional.of(
              new ActiveOperator(
                  client, watching, () -> false, options.withReporting(none), why -> {}));
    }
    return rehearsal;
  }

  private void endRehearsal() {
    takeRehearsal().ifPresent(ActiveOperator::close);
  }

  private synchronized Optional<ActiveOperator> takeRehearsal() {
    Optional<ActiveOperator> taken = rehearsal;
    rehearsal = Optional.empty();
    return taken;
  }

  private synchronized void resumed(Instant at) {
    Instant until = at.plus(options.settings().repair().hold());
    if (until.isAfter(options.wall().instant())) {
      log.info("no operator led for a while; one does since {}: repairs wait until {}", at, until);
    }
    active.ifPresent(ActiveOperator::resumed);
  }

  private void lead() {
    Optional<ActiveOperator> operator = activate();
    endRehearsal();
    try {
      operator.ifPresent(ActiveOperator::start);
    } catch (RuntimeException e) {
      if (!closed.get()) {
        log.error("the operator could not start", e);
        end("the operator could not start: " + e.getMessage());
      }
    }
  }

  private synchronized Optional<ActiveOperator> activate() {
    if (!closed.get()) {
      ActiveOperator operator =
          new ActiveOperator(client, watching, leadership, options, this::end);
      active = Optional.of(operator);
    }
    return active;
  }

  private void end(String why) {
    if (!closed.get() && ended.compareAndSet(false, true)) {
      log.error("the operator ends: {}", why);
      options.ended().accept(why);
    }
  }

  private synchronized Optional<ActiveOperator> active() {
    return active;
  }

  /** Whether this process leads and its leadership was confirmed recently. */
  public boolean isLeading() {
    return leadership.isOpen();
  }

  /** Whether this process leads, plans, and receives changes of every kind. */
  public boolean isPlanning() {
    return isLeading() && active().filter(ActiveOperator::isReady).isPresent();
  }

  /** Whether the process is ready: it plans if it leads, and can take over at once otherwise. */
  public boolean isReady() {
    return !ended.get() && active().map(ActiveOperator::isReady).orElse(rehearsed);
  }

  /** Whether the process is healthy and need not be restarted. */
  public boolean isHealthy() {
    return !ended.get()
        && active().map(operator -> operator.isResponsive(LONGEST_DECISION)).orElse(true);
  }

  /** The requests sent to the API server so far. */
  public RequestCounts requests() {
    return meter.counts();
  }

  /** Stops planning, waits for the writes in flight, and releases the leadership. */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    endRehearsal();
    active().ifPresent(ActiveOperator::close);
    leadership.close();
    client.close();
    watching.close();
    leasing.close();
  }
}
