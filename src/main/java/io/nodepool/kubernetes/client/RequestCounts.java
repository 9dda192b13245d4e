package io.nodepool.kubernetes.client;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many requests were sent, by verb and resource, such as {@code patch nodes/status}.
 *
 * @param byKind counts of at least 1
 */
public record RequestCounts(SortedMap<String, Long> byKind) {
  public RequestCounts {
    byKind = Collections.unmodifiableSortedMap(new TreeMap<>(byKind));
  }

  /** What was sent after {@code earlier}. */
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

  /** How many of this kind were sent. */
  public long of(String kind) {
    return byKind.getOrDefault(kind, 0L);
  }

  /** How many were sent in all. */
  public long total() {
    return byKind.values().stream().mapToLong(Long::longValue).sum();
  }
}
