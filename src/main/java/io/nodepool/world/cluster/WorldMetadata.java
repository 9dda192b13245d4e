package io.nodepool.world.cluster;

import io.nodepool.fleet.Taint;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.plan.NodeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Applies a change of a Node's labels, annotations and taints as a JSON patch with tests does. */
final class WorldMetadata {
  private WorldMetadata() {}

  /**
   * Returns the metadata after the change; empty if it is not as it was when the change was
   * decided.
   */
  static Optional<NodeMetadata> changed(NodeMetadata now, NodeChange change) {
    if (change.recorded().isPresent() && !change.recorded().equals(now.applied())) {
      return Optional.empty();
    }
    return labels(now.labels(), change.labels())
        .flatMap(labels ->
            labels(now.annotations(), change.annotations())
                .flatMap(annotations ->
                    taints(now.taints(), change)
                        .map(taints ->
                            new NodeMetadata(
                                change.record().or(now::applied), labels, annotations, taints))));
  }

  /** Whether all entries exist that a change removes. */
  static boolean isThere(
      SortedMap<String, String> now, SortedMap<String, Optional<String>> changes) {
    return changes.entrySet().stream()
        .allMatch(change -> change.getValue().isPresent() || now.containsKey(change.getKey()));
  }

  /** Changes entries; empty if one to be removed does not exist. */
  private static Optional<SortedMap<String, String>> labels(
      SortedMap<String, String> now, SortedMap<String, Optional<String>> changes) {
    SortedMap<String, String> next = new TreeMap<>(now);
    for (Map.Entry<String, Optional<String>> change : changes.entrySet()) {
      if (change.getValue().isPresent()) {
        next.put(change.getKey(), change.getValue().get());
      } else if (next.remove(change.getKey()) == null) {
        return Optional.empty();
      }
    }
    return Optional.of(next);
  }

  private static Optional<List<Taint>> taints(List<Taint> now, NodeChange change) {
    List<Taint> next = new ArrayList<>(now);
    for (int i = change.taints().seen().size() - 1; i >= 0; i--) {
      Taint seen = change.taints().seen().get(i);
      if (change.taints().removed().contains(seen)) {
        if (i >= next.size() || !next.get(i).equals(seen)) {
          return Optional.empty();
        }
        next.remove(i);
      }
    }
    for (Taint taint : change.taints().added()) {
      if (next.stream().anyMatch(taint::isSame)) {
        return Optional.empty();
      }
      next.add(taint);
    }
    boolean appeared = change.taints().seen().isEmpty() && !now.isEmpty();
    boolean vanished = !change.taints().seen().isEmpty() && now.isEmpty();
    return !change.taints().added().isEmpty() && (appeared || vanished)
        ? Optional.empty()
        : Optional.of(next);
  }
}
