package io.nodepool.world;

import io.nodepool.control.LoopTimings;
import io.nodepool.control.MachinePlanning;
import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlanSettings;
import io.nodepool.world.cluster.WorldCluster;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Parts of the operator that a run may replace, to see what a fault in them would do.
 *
 * @param settings changes the rules that are planned by
 * @param timings changes the durations of the loops
 * @param planners wraps the planners
 * @param wiring changes what comes and goes between the operator and the API server
 */
public record OperatorOverrides(
    UnaryOperator<PlanSettings> settings,
    UnaryOperator<LoopTimings> timings,
    Planners planners,
    Wiring wiring) {
  /** The operator as it is. */
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
   * What comes and goes between the operator and the API server.
   *
   * @param writer wraps the writer
   * @param watch wraps what takes in the observations of lists and watches
   * @param wire changes what a request carries, as it arrives at the API server
   * @param gated whether writes pass the gate that closes when the Lease was not renewed
   * @param triggerFirst whether loops run on what a watch brought before it is folded, instead of
   *     after
   */
  public record Wiring(
      WriterWrap writer,
      UnaryOperator<Consumer<Observation>> watch,
      Wire wire,
      boolean gated,
      boolean triggerFirst) {}

  /** Wraps a writer; {@code observe} takes in an observation as a watch does. */
  @FunctionalInterface
  public interface WriterWrap {
    /** The wrapped writer. */
    Writer wrap(Writer writer, Consumer<Observation> observe);
  }

  /** What of an intent arrives at the API server. */
  @FunctionalInterface
  public interface Wire {
    /** The intent as the request carries it. */
    Action carried(Action action, WorldCluster cluster);
  }

  /** These, with other rules. */
  public OperatorOverrides withRules(UnaryOperator<PlanSettings> next) {
    return new OperatorOverrides(next, timings, planners, wiring);
  }

  /** These, with other durations of the loops. */
  public OperatorOverrides withTimings(UnaryOperator<LoopTimings> next) {
    return new OperatorOverrides(settings, next, planners, wiring);
  }

  /** These, with another pool planner. */
  public OperatorOverrides withPlanner(UnaryOperator<PoolPlanning> next) {
    return new OperatorOverrides(
        settings, timings, new Planners(next, planners.machines()), wiring);
  }

  /** These, with another machine planner. */
  public OperatorOverrides withMachines(UnaryOperator<MachinePlanning> next) {
    return new OperatorOverrides(settings, timings, new Planners(planners.pools(), next), wiring);
  }

  private OperatorOverrides with(Wiring next) {
    return new OperatorOverrides(settings, timings, planners, next);
  }

  /** These, with another writer. */
  public OperatorOverrides withWriter(UnaryOperator<Writer> next) {
    return withWriterAndWatch((wrapped, observe) -> next.apply(wrapped));
  }

  /** These, with another writer that may say things which the watch did not. */
  public OperatorOverrides withWriterAndWatch(WriterWrap next) {
    return with(new Wiring(next, wiring.watch, wiring.wire, wiring.gated, wiring.triggerFirst));
  }

  /** These, with another way in for observations. */
  public OperatorOverrides withWatch(UnaryOperator<Consumer<Observation>> next) {
    return with(new Wiring(wiring.writer, next, wiring.wire, wiring.gated, wiring.triggerFirst));
  }

  /** These, with requests that carry something else. */
  public OperatorOverrides withWire(Wire next) {
    return with(new Wiring(wiring.writer, wiring.watch, next, wiring.gated, wiring.triggerFirst));
  }

  /** These, without the gate. */
  public OperatorOverrides ungated() {
    return with(new Wiring(wiring.writer, wiring.watch, wiring.wire, false, wiring.triggerFirst));
  }

  /** These, with loops that run before what woke them is folded. */
  public OperatorOverrides triggeredFirst() {
    return with(new Wiring(wiring.writer, wiring.watch, wiring.wire, wiring.gated, true));
  }
}
