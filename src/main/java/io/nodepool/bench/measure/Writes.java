package io.nodepool.bench.measure;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Requests that change something, counted by verb and resource. Leases are left out: they are
 * renewed whether or not there is anything to do. Pure.
 */
public final class Writes {
  private static final Set<String> READS = Set.of("get", "list", "watch", "connect");

  /** What the API server's metrics call the verbs, and how they are called elsewhere. */
  private static final Map<String, String> VERBS =
      Map.of("POST", "create", "PUT", "update", "DELETECOLLECTION", "deletecollection");

  private Writes() {}

  /** All writes that an API server has answered, by its own metrics; dry runs write nothing. */
  public static RequestCounts ofServer(MetricsText metrics) {
    return count(metrics, "apiserver_request_total", sample -> sample.label("dry_run").isEmpty());
  }

  /** The same, but only those that it refused or failed to carry out. */
  static RequestCounts refusedByServer(MetricsText metrics) {
    return count(
        metrics,
        "apiserver_request_total",
        sample -> sample.label("dry_run").isEmpty() && !sample.label("code").startsWith("2"));
  }

  /** The writes that an operator has sent and got an answer to, by its own metrics. */
  public static RequestCounts ofOperator(MetricsText metrics) {
    return count(metrics, "nodepool_api_requests_total", _ -> true);
  }

  /** The writes among some requests. */
  public static RequestCounts among(RequestCounts requests) {
    TreeMap<String, Long> writes = new TreeMap<>(requests.byKind());
    writes.keySet().removeIf(kind -> !isWrite(kind));
    return new RequestCounts(writes);
  }

  private static RequestCounts count(
      MetricsText metrics, String metric, Predicate<MetricsText.Sample> counted) {
    TreeMap<String, Long> counts = new TreeMap<>();
    metrics
        .samples(metric)
        .filter(counted)
        .forEach(sample -> counts.merge(kind(sample), (long) sample.value(), Long::sum));
    counts.keySet().removeIf(kind -> !isWrite(kind));
    return new RequestCounts(counts);
  }

  private static String kind(MetricsText.Sample sample) {
    String verb = sample.label("verb");
    String subresource = sample.label("subresource").replaceFirst("^/", "");
    return VERBS.getOrDefault(verb, verb.toLowerCase(java.util.Locale.ROOT))
        + " "
        + sample.label("resource")
        + (subresource.isEmpty() ? "" : "/" + subresource);
  }

  private static boolean isWrite(String kind) {
    String[] words = kind.split(" ", 2);
    return !READS.contains(words[0]) && !words[1].isEmpty() && !words[1].equals("leases");
  }
}
