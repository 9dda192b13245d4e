package io.nodepool.kubernetes;

import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.nodepool.control.PoolLoop;
import io.nodepool.kubernetes.api.NodePool;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pools' loop as the runtime runs it. It changes nothing through the runtime but the finalizer:
 * added before the first run, removed when the loop releases the pool.
 */
final class PoolReconciler implements Reconciler<NodePool>, Cleaner<NodePool> {
  private static final Logger log = LoggerFactory.getLogger(PoolReconciler.class);
  private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);

  private final Function<String, PoolLoop.Outcome> loop;
  private final PoolEvents events;
  private final InstantSource clock;

  PoolReconciler(Function<String, PoolLoop.Outcome> loop, PoolEvents events, InstantSource clock) {
    this.loop = loop;
    this.events = events;
    this.clock = clock;
  }

  @Override
  public List<EventSource<?, NodePool>> prepareEventSources(EventSourceContext<NodePool> context) {
    return List.of(events);
  }

  @Override
  public UpdateControl<NodePool> reconcile(NodePool pool, Context<NodePool> context) {
    UpdateControl<NodePool> control = UpdateControl.noUpdate();
    delay(run(pool).wakeup()).ifPresent(control::rescheduleAfter);
    return control;
  }

  @Override
  public DeleteControl cleanup(NodePool pool, Context<NodePool> context) {
    PoolLoop.Outcome outcome = run(pool);
    if (outcome.released()) {
      return DeleteControl.defaultDelete();
    }
    DeleteControl control = DeleteControl.noFinalizerRemoval();
    delay(outcome.wakeup()).ifPresent(control::rescheduleAfter);
    return control;
  }

  /** The runtime gives a failing key up after some tries; the loop is never given up. */
  private PoolLoop.Outcome run(NodePool pool) {
    String name = ObjectFacts.name(pool);
    try {
      return loop.apply(name);
    } catch (RuntimeException e) {
      log.error("pool {}: its loop failed; next try in {}", name, AFTER_FAILURE, e);
      return new PoolLoop.Outcome(Optional.of(clock.instant().plus(AFTER_FAILURE)), false);
    }
  }

  private Optional<Duration> delay(Optional<Instant> wakeup) {
    return wakeup
        .map(when -> Duration.between(clock.instant(), when))
        .map(wait -> wait.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : wait);
  }
}
