package io.nodepool.bench.measure;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Counts writing requests by verb and resource. Leases are excluded, since they are renewed also at
 * rest. Pure.
 */
public final class Writes {
  /** The operator's metric of its requests. */
  static final String OF_OPERATOR = "nodepool_api_requests_total";

  private static final Set<String> READS = Set.of("get", "list", "watch", "connect");

  /** The verbs that the API server's metrics name differently, with the usual names. */
  private static final Map<String, String> VERBS =
      Map.of("POST", "create", "PUT", "update", "DELETECOLLECTION", "deletecollection");

  private Writes() {}

  /** The writes that an API server has answered, by its metrics, without dry runs. */
  public static RequestCounts ofServer(MetricsText metrics) {
    return count(metrics, "apiserver_request_total", sample -> sample.label("dry_run").isEmpty());
  }

  /** The writes that an API server rejected, without dry runs. */
  static RequestCounts refusedByServer(MetricsText metrics) {
    return count(
        metrics,
        "apiserver_request_total",
        sample -> sample.label("dry_run").isEmpty() && !sample.label("code").startsWith("2"));
  }

  /** The answered writes of an operator, by its metrics. */
  public static RequestCounts ofOperator(MetricsText metrics) {
    return count(metrics, OF_OPERATOR, _ -> true);
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
    return among(new RequestCounts(counts));
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
