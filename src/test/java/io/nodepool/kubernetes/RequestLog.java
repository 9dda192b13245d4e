package io.nodepool.kubernetes;

import io.nodepool.kubernetes.client.RequestMeter;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** The requests of a client with their times, to count those about one object in a minute. */
final class RequestLog implements RequestMeter.Listener {
  static final Duration MINUTE = Duration.ofMinutes(1);

  /** A request; its path is that of the object with its subresource, without the query. */
  record Sent(Instant at, String verb, String path) {}

  private final InstantSource clock;
  private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();

  RequestLog(InstantSource clock) {
    this.clock = clock;
  }

  @Override
  public void sending(String verb, URI uri) {
    sent.add(new Sent(clock.instant(), verb, uri.getPath()));
  }

  /** The requests from this instant on, in order. */
  List<Sent> since(Instant from) {
    return sent.stream().filter(each -> !each.at().isBefore(from)).toList();
  }

  /** The times of requests of this kind from this instant on. */
  List<Instant> times(String verb, String path, Instant from) {
    return since(from).stream()
        .filter(each -> each.verb().equals(verb) && each.path().equals(path))
        .map(Sent::at)
        .toList();
  }

  /** The maximum number of requests to each path within any minute from this instant on. */
  Map<String, Integer> busiestMinutes(Instant from) {
    Map<String, List<Instant>> byPath =
        since(from).stream()
            .collect(
                Collectors.groupingBy(
                    Sent::path, TreeMap::new, Collectors.mapping(Sent::at, Collectors.toList())));
    Map<String, Integer> most = new TreeMap<>();
    byPath.forEach((path, times) -> most.put(path, mostInAMinute(times)));
    return most;
  }

  private static int mostInAMinute(List<Instant> times) {
    List<Instant> window = new ArrayList<>();
    int most = 0;
    for (Instant time : times) {
      window.removeIf(earlier -> !earlier.isAfter(time.minus(MINUTE)));
      window.add(time);
      most = Math.max(most, window.size());
    }
    return most;
  }
}
