package io.nodepool.kubernetes.operator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.Cache;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.nodepool.control.PoolLoop;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.thread.Timers;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pools' loop as the runtime runs it. The only change made through the runtime is the
 * finalizer: it is added before the first run and removed when the loop releases the pool. Waits
 * and retries use timers of its own, since the runtime's use the wall clock: a clock set back by an
 * hour would delay them by an hour.
 */
final class PoolReconciler implements Reconciler<NodePool>, Cleaner<NodePool>, Metrics {
  private static final Logger log = LoggerFactory.getLogger(PoolReconciler.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  /** The longest interval of the runtime's own retries. */
  private static final Duration AFTER_RUNTIMES_FAILURE = Duration.ofSeconds(30);

  private final Function<String, PoolLoop.Outcome> loop;
  private final PoolEventSource events;
  private @Nullable Cache<NodePool> pools;
  private final Timers<String> timers;
  private final InstantSource clock;

  /**
   * @param loop runs for the pool of this name
   * @param timers raise an event for a pool; confined to the thread on which the runtime runs this
   */
  PoolReconciler(
      Function<String, PoolLoop.Outcome> loop,
      PoolEventSource events,
      Timers<String> timers,
      InstantSource clock) {
    this.loop = loop;
    this.events = events;
    this.timers = timers;
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, NodePool>> prepareEventSources(EventSourceContext<NodePool> context) {
    pools = context.getPrimaryCache();
    return List.of(events);
  }

  /**
   * Completes when all pools that the runtime listed at its start were passed on as observations.
   */
  CompletableFuture<Void> listed() {
    return events.listed(Objects.requireNonNull(pools, "the runtime was not started"));
  }

  @Override
  public UpdateControl<NodePool> reconcile(NodePool pool, Context<NodePool> context) {
    run(pool);
    return UpdateControl.noUpdate();
  }

  @Override
  public DeleteControl cleanup(NodePool pool, Context<NodePool> context) {
    return run(pool).released()
        ? DeleteControl.defaultDelete()
        : DeleteControl.noFinalizerRemoval();
  }

  /** Called when an operation of the runtime itself failed, such as the write of the finalizer. */
  @Override
  public void failedReconciliation(
      HasMetadata pool, Exception failure, Map<String, Object> metadata) {
    // The loop logs its own failures; a pool that is gone needs no finalizer.
    if (!(failure instanceof KubernetesClientException refused
        && refused.getCode() == HttpURLConnection.HTTP_NOT_FOUND)) {
      log.warn(
          "pool {}: its finalizer could not be written, which is retried: {}",
          ObjectFacts.name(pool),
          failure.getMessage());
    }
    timers.at(ObjectFacts.name(pool), clock.instant().plus(AFTER_RUNTIMES_FAILURE));
  }

  private PoolLoop.Outcome run(NodePool pool) {
    String name = ObjectFacts.name(pool);
    PoolLoop.Outcome outcome = runLoop(name);
    outcome.wakeup().ifPresentOrElse(at -> timers.at(name, at), () -> timers.cancel(name));
    return outcome;
  }

  /**
   * Runs the loop. A failed run is always retried, while the runtime would stop after some
   * attempts.
   */
  private PoolLoop.Outcome runLoop(String name) {
    try {
      return loop.apply(name);
    } catch (RuntimeException e) {
      log.error("pool {}: its loop failed; retried in {}", name, AFTER_FAILURE, e);
      return new PoolLoop.Outcome(Optional.of(clock.instant().plus(AFTER_FAILURE)), false);
    }
  }
}
