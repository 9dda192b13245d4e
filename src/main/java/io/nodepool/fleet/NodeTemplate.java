package io.nodepool.fleet;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a Node is to carry from its pool's spec at the moment it joins. */
public record NodeTemplate(
    SortedMap<String, String> labels, SortedMap<String, String> annotations, List<Taint> taints) {
  /** A Node that carries nothing of its pool's spec. */
  public static final NodeTemplate EMPTY =
      new NodeTemplate(Collections.emptySortedMap(), Collections.emptySortedMap(), List.of());

  public NodeTemplate {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    taints = List.copyOf(taints);
  }
}
