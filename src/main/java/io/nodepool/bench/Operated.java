package io.nodepool.bench;

import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.ProcessorTimes;
import io.nodepool.bench.measure.WriteTotals;
import io.nodepool.bench.report.Measured;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A run with a data centre, and an operator that plans. */
public record Operated(BenchRun run, BenchFleet fleet, OperatorChild operator) {
  /** Grows the pool, and waits until it is at its target. */
  public void grow(int nodes, boolean prefersIdle) {
    run.progress("Growing a pool to %,d Nodes ...".formatted(nodes));
    run.cluster().createPool(BenchRun.POOL, nodes, prefersIdle);
    run.awaitTarget(operator, nodes);
  }

  /** Waits for something, while the operator lives. */
  public void await(String what, BooleanSupplier condition) {
    operator.await(run.deadline(), what, condition);
  }

  /** Waits until the cluster is at rest. */
  public void rest() {
    run.rest();
  }

  /** The current counts of writes. */
  WriteTotals writes() {
    return WriteTotals.now(run.cluster(), operator, fleet);
  }

  /** Makes a change on a cluster at rest; the measured period begins with it. */
  public Period begin(Runnable change) {
    return new Period(change);
  }

  /** The period that began with a change. */
  public final class Period {
    private final WriteTotals before = writes();
    private final Map<String, Duration> timesBefore = ProcessorTimes.now(run.cluster(), operator);
    private final long begun = System.nanoTime();
    private Duration time = Duration.ZERO;
    private Map<String, Duration> times = Map.of();

    private Period(Runnable change) {
      change.run();
    }

    /**
     * Waits for the observation that completes the change.
     *
     * @param at when it was observed, on the monotonic clock
     */
    public void await(String what, Supplier<OptionalLong> at) {
      Operated.this.await(what, () -> at.get().isPresent());
      time = Duration.ofNanos(at.get().orElseThrow() - begun);
      times = ProcessorTimes.now(run.cluster(), operator);
    }

    /** The time since the change. */
    Duration passed() {
      return Duration.ofNanos(System.nanoTime() - begun);
    }

    /** The measured figures, once the cluster is at rest. */
    public Measured end() {
      rest();
      WriteTotals after = writes();
      return new Measured(
          time,
          after.writesSince(before),
          after.refusedSince(before),
          after.podLists() - before.podLists(),
          ProcessorTimes.since(timesBefore, times),
          operator.peakHeap());
    }
  }
}
