package io.nodepool.bench.measure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** When each of several things was first observed, on the monotonic clock; for all threads. */
public final class FirstTimes {
  private final Map<String, Long> times = new ConcurrentHashMap<>();

  /** Observes something. */
  public void see(String what) {
    times.putIfAbsent(what, System.nanoTime());
  }

  /** When something was first observed; empty until then. */
  public OptionalLong at(String what) {
    Long at = times.get(what);
    return at == null ? OptionalLong.empty() : OptionalLong.of(at);
  }

  /** Whether all these were observed. */
  public boolean hasAll(Set<String> what) {
    return times.keySet().containsAll(what);
  }

  /** The times from these moments until these things were observed; without unobserved things. */
  public List<Duration> since(Map<String, Long> moments) {
    return moments.entrySet().stream()
        .flatMap(each ->
            at(each.getKey()).stream()
                .mapToObj(at -> Duration.ofNanos(Math.max(0, at - each.getValue()))))
        .toList();
  }
}
