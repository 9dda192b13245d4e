package io.nodepool.bench.report;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The period in which an operator carried out a change. Pure.
 *
 * @param time from the change until its end was observed
 * @param writes all writes from the change until the cluster was at rest
 * @param refused the number of these that the API server rejected
 * @param podLists the Pod lists of the operator in that time
 * @param processorTimes processor time until the end was observed, by process
 * @param operatorPeakHeap the sum of the highest use of each pool of the operator's heap, in bytes
 */
public record Measured(
    Duration time,
    WriteTable writes,
    long refused,
    long podLists,
    Map<String, Duration> processorTimes,
    double operatorPeakHeap) {
  /** The name of the operator's process among the processor times. */
  public static final String OPERATOR = "operator";

  public Measured {
    processorTimes = Collections.unmodifiableMap(new TreeMap<>(processorTimes));
  }

  /** The operator's processor time. */
  public Duration operatorTime() {
    return processorTimes.getOrDefault(OPERATOR, Duration.ZERO);
  }
}
