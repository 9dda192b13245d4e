package io.nodepool.world.cluster;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/**
 * The managed fields of the virtual world's Nodes, for labels and annotations: which manager set
 * each field, and when the manager last changed one of its fields.
 */
final class WorldFieldTimes {
  private static final String REQUEST = "label " + NodeLabels.PENDING_STATE.key();
  private static final String POLICY = "annotation " + NodeAnnotations.REBOOT_POLICY.key();

  private final InstantSource clock;

  /** The managers of each Node's fields, by the Node's UID and the manager's name. */
  private final Map<String, Map<String, Entry>> entries = new HashMap<>();

  private record Entry(Set<String> fields, Instant time) {}

  WorldFieldTimes(InstantSource clock) {
    this.clock = clock;
  }

  /** Records a write; a field belongs only to the manager that set it last. */
  void wrote(Node before, Node after, String manager) {
    Set<String> set = new HashSet<>();
    Set<String> removed = new HashSet<>();
    compare("label ", before.metadata().labels(), after.metadata().labels(), set, removed);
    compare(
        "annotation ",
        before.metadata().annotations(),
        after.metadata().annotations(),
        set,
        removed);
    if (set.isEmpty() && removed.isEmpty()) {
      return;
    }
    Map<String, Entry> managers = entries.computeIfAbsent(after.uid(), _ -> new HashMap<>());
    Entry own = managers.getOrDefault(manager, new Entry(new HashSet<>(), now()));
    boolean changes = !set.isEmpty() || removed.stream().anyMatch(own.fields()::contains);
    managers
        .values()
        .forEach(entry -> {
          entry.fields().removeAll(set);
          entry.fields().removeAll(removed);
        });
    if (changes) {
      own.fields().addAll(set);
      managers.put(manager, new Entry(own.fields(), now()));
    }
  }

  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS);
  }

  private static void compare(
      String prefix,
      SortedMap<String, String> before,
      SortedMap<String, String> after,
      Set<String> set,
      Set<String> removed) {
    if (before.equals(after)) {
      return;
    }
    after.forEach((key, value) -> {
      if (!value.equals(before.get(key))) {
        set.add(prefix + key);
      }
    });
    before.keySet().stream()
        .filter(key -> !after.containsKey(key))
        .forEach(key -> removed.add(prefix + key));
  }

  /** When the request on a Node and its policy were set. */
  RequestTimes request(Node node) {
    return new RequestTimes(time(node, REQUEST), time(node, POLICY));
  }

  /** Takes over when the request on a Node and its policy were set in another cluster. */
  void take(String uid, RequestTimes times) {
    Map<String, Entry> managers = entries.computeIfAbsent(uid, _ -> new HashMap<>());
    times
        .label()
        .ifPresent(at -> managers.put("requested", new Entry(new HashSet<>(Set.of(REQUEST)), at)));
    times
        .policy()
        .ifPresent(at -> managers.put("policy", new Entry(new HashSet<>(Set.of(POLICY)), at)));
  }

  private Optional<Instant> time(Node node, String field) {
    return entries.getOrDefault(node.uid(), Map.of()).values().stream()
        .filter(entry -> entry.fields().contains(field))
        .map(Entry::time)
        .findFirst();
  }

  /** Forgets a Node that was deleted. */
  void forget(String uid) {
    entries.remove(uid);
  }
}
