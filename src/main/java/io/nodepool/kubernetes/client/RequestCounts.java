package io.nodepool.kubernetes.client;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The number of requests sent, by verb and resource, such as {@code patch nodes/status}.
 *
 * @param byKind counts of at least 1
 */
public record RequestCounts(SortedMap<String, Long> byKind) {
  public RequestCounts {
    byKind = Collections.unmodifiableSortedMap(new TreeMap<>(byKind));
  }

  /** The requests sent after {@code earlier}. */
  public RequestCounts since(RequestCounts earlier) {
    TreeMap<String, Long> difference = new TreeMap<>();
    for (Map.Entry<String, Long> entry : byKind.entrySet()) {
      long more = entry.getValue() - earlier.of(entry.getKey());
      if (more > 0) {
        difference.put(entry.getKey(), more);
      }
    }
    return new RequestCounts(difference);
  }

  /** The number of requests of this kind. */
  public long of(String kind) {
    return byKind.getOrDefault(kind, 0L);
  }

  /** The number of all requests. */
  public long total() {
    return byKind.values().stream().mapToLong(Long::longValue).sum();
  }
}
