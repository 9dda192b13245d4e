package io.nodepool.bench.measure;

import io.nodepool.bench.report.Measured;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** Processor time by process. */
public final class ProcessorTimes {
  private static final String DATA_CENTRE = "data centre and measurement";

  private ProcessorTimes() {}

  /** The processor times so far, including the operator's. */
  public static Map<String, Duration> now(BenchCluster cluster, OperatorChild operator) {
    Map<String, Duration> times = now(cluster);
    times.put(Measured.OPERATOR, BenchCluster.processorTime(operator.pid()));
    return times;
  }

  /** The processor times so far, without an operator. */
  public static Map<String, Duration> now(BenchCluster cluster) {
    TreeMap<String, Duration> times = new TreeMap<>(cluster.processorTimes());
    times.put(DATA_CENTRE, BenchCluster.processorTime(ProcessHandle.current().pid()));
    return times;
  }

  /** The processor times between two moments. */
  public static Map<String, Duration> since(
      Map<String, Duration> earlier, Map<String, Duration> later) {
    TreeMap<String, Duration> times = new TreeMap<>(later);
    times.replaceAll((process, time) -> time.minus(earlier.getOrDefault(process, time)));
    return times;
  }
}
