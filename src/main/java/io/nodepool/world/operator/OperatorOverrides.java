package io.nodepool.world.operator;

import io.nodepool.control.LoopSettings;
import io.nodepool.control.MachinePlanning;
import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.ReferenceGeneration;
import io.nodepool.world.cluster.WorldCluster;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Parts of the operator that a run replaces, to test the effect of a fault in them.
 *
 * @param settings changes the settings of the planners
 * @param timings changes the durations of the loops
 * @param planners wraps the planners
 * @param wiring changes what passes between the operator and the API server
 */
@RecordBuilder
public record OperatorOverrides(
    UnaryOperator<PlanSettings> settings,
    UnaryOperator<LoopSettings> timings,
    Planners planners,
    Wiring wiring)
    implements OperatorOverridesCopy.With {
  /** The unchanged operator. */
  public static final OperatorOverrides AS_BUILT =
      new OperatorOverrides(
          settings -> settings,
          timings -> timings,
          new Planners(pools -> pools, machines -> machines),
          new Wiring(
              (writer, observe) -> writer,
              watch -> watch,
              (action, cluster) -> action,
              true,
              false));

  /**
   * Wraps the planners.
   *
   * @param pools wraps the pool planner
   * @param machines wraps the machine planner
   */
  public record Planners(
      UnaryOperator<PoolPlanning> pools, UnaryOperator<MachinePlanning> machines) {}

  /**
   * What passes between the operator and the API server.
   *
   * @param writer wraps the writer
   * @param watch wraps the consumer of the observations of lists and watches
   * @param wire changes the intent of a request before it arrives at the API server
   * @param gated whether writes pass the gate that closes when the Lease was not renewed
   * @param triggerFirst whether loops run before, instead of after, the observation that woke them
   *     is folded
   */
  @RecordBuilder
  public record Wiring(
      WriterWrap writer,
      UnaryOperator<Consumer<Observation>> watch,
      Wire wire,
      boolean gated,
      boolean triggerFirst)
      implements OperatorOverridesWiringCopy.With {}

  /** Wraps a writer; {@code observe} folds an observation as a watch does. */
  @FunctionalInterface
  public interface WriterWrap {
    /** The wrapped writer. */
    Writer wrap(Writer writer, Consumer<Observation> observe);
  }

  /** Changes an intent before it arrives at the API server. */
  @FunctionalInterface
  public interface Wire {
    /** Returns the intent as the request carries it. */
    Action carried(Action action, WorldCluster cluster);
  }

  /** Returns these overrides with another pool planner. */
  public OperatorOverrides withPlanner(UnaryOperator<PoolPlanning> next) {
    return withPlanners(new Planners(next, planners.machines()));
  }

  /** How pools are planned. */
  PoolPlanning poolPlanning(InstanceCatalogue catalogue) {
    return planners.pools().apply(new PoolPlanner(catalogue, planSettings())::plan);
  }

  /** How machines are planned. */
  MachinePlanning machinePlanning(InstanceCatalogue catalogue) {
    return planners
        .machines()
        .apply(MachinePlanning.by(new MachinePlanner(catalogue, planSettings())));
  }

  /** Whether the Events of the oldest reference are emitted too. */
  ReferenceGeneration generation() {
    return planSettings().generation();
  }

  private PlanSettings planSettings() {
    return settings.apply(
        PlanSettings.DEFAULTS.withJobs(
            Optional.of(new PlanSettings.Jobs("cw-verification", PlanSettings.Jobs.DEADLINE))));
  }

  /** Returns these overrides with another machine planner. */
  public OperatorOverrides withMachines(UnaryOperator<MachinePlanning> next) {
    return withPlanners(new Planners(planners.pools(), next));
  }

  /** Returns these overrides with another writer. */
  public OperatorOverrides withWriter(UnaryOperator<Writer> next) {
    return withWriterAndWatch((wrapped, observe) -> next.apply(wrapped));
  }

  /** Returns these overrides with another writer, which may add observations of its own. */
  public OperatorOverrides withWriterAndWatch(WriterWrap next) {
    return withWiring(wiring.withWriter(next));
  }

  /** Returns these overrides with another consumer of observations. */
  public OperatorOverrides withWatch(UnaryOperator<Consumer<Observation>> next) {
    return withWiring(wiring.withWatch(next));
  }

  /** Returns these overrides with requests that carry other intents. */
  public OperatorOverrides withWire(Wire next) {
    return withWiring(wiring.withWire(next));
  }

  /** Returns these overrides without the gate. */
  public OperatorOverrides ungated() {
    return withWiring(wiring.withGated(false));
  }

  /**
   * Returns these overrides with loops that run before the observation that woke them is folded.
   */
  public OperatorOverrides triggeredFirst() {
    return withWiring(wiring.withTriggerFirst(true));
  }
}
