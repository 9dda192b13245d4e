package io.nodepool.model.pool;

import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.occurrence.Occurrences;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts what one operator process observed to happen to Nodes over the life of their pool.
 *
 * @param seen how often each occurrence happened
 * @param published the counts in the pool's status, which the pool's Events have reported
 * @param names for each kind, the Nodes of the first unreported occurrences, in their order; empty
 *     text for a Node that is not known
 */
public record Tally(Occurrences seen, Occurrences published, Map<Occurrence, List<String>> names) {
  /** Nothing happened. */
  public static final Tally NONE = new Tally(Occurrences.NONE, Occurrences.NONE, Map.of());

  public Tally {
    Map<Occurrence, List<String>> kept = new TreeMap<>(names);
    kept.replaceAll((_, nodes) -> List.copyOf(nodes));
    names = Collections.unmodifiableMap(kept);
  }

  /** The tally that a status publishes. */
  static Tally of(Occurrences published) {
    return new Tally(published, published, Map.of());
  }

  /** How often it happened since it was last reported. */
  public int unreported(Occurrence what) {
    return seen.of(what) - published.of(what);
  }

  /** The first Nodes to which it happened since it was last reported; a Node may occur twice. */
  public List<String> named(Occurrence what) {
    return names.getOrDefault(what, List.of()).stream()
        .filter(name -> !name.isEmpty())
        .sorted()
        .toList();
  }

  /** This tally with a status of the pool, whichever process published it. */
  Tally published(Occurrences status) {
    Occurrences next = published.max(status);
    Map<Occurrence, List<String>> left = new TreeMap<>(names);
    left.replaceAll((what, nodes) ->
        nodes.subList(Math.min(nodes.size(), next.of(what) - published.of(what)), nodes.size()));
    return new Tally(seen.max(next), next, left);
  }

  /** One more occurrence, on a Node of this name. */
  Tally plus(Occurrence what, String node) {
    List<String> nodes = new ArrayList<>(names.getOrDefault(what, List.of()));
    while (nodes.size() < Math.min(EventLedger.KEPT, unreported(what))) {
      nodes.add("");
    }
    if (nodes.size() < EventLedger.KEPT) {
      nodes.add(node);
    }
    Map<Occurrence, List<String>> next = new TreeMap<>(names);
    next.put(what, nodes);
    return new Tally(seen.plus(what, 1), published, next);
  }

  /** This number of further occurrences, on Nodes that are not known. */
  Tally plus(Occurrence what, int times) {
    return times <= 0 ? this : new Tally(seen.plus(what, times), published, names);
  }
}
