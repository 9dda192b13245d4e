package io.nodepool.plan;

import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.condition.NodeCondition;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The changes of one write to a Node. Its request, its effect in the virtual world, the memory of
 * it and its texts all follow from this description. All other parts stay.
 */
public sealed interface NodeChange {
  /** What it changes in the metadata. */
  MetadataChange metadata();

  /** What becomes of the cordon. */
  enum Cordoning {
    KEEP,
    CORDON,
    UNCORDON
  }

  /**
   * A change of the taints.
   *
   * @param seen the observed taints, in the order of the Node
   * @param removed the observed taints to remove; if one is no longer at its observed place,
   *     nothing is changed
   * @param added taints to add; if the Node has one of them meanwhile, nothing is changed
   */
  record TaintPatch(List<Taint> seen, List<Taint> removed, List<Taint> added) {
    /** No taint changes. */
    public static final TaintPatch NONE = new TaintPatch(List.of(), List.of(), List.of());

    public TaintPatch {
      seen = List.copyOf(seen);
      removed = List.copyOf(removed);
      added = List.copyOf(added);
    }
  }

  /** A change of metadata and spec, as a JSON patch that tests all it was decided on. */
  record OfSpec(MetadataChange metadata, Cordoning cordoning, TaintPatch taints)
      implements NodeChange {
    /** A change of the metadata, and of the cordon. */
    public OfSpec(MetadataChange metadata, Cordoning cordoning) {
      this(metadata, cordoning, TaintPatch.NONE);
    }

    /** Whether nothing changes. */
    public boolean isEmpty() {
      return metadata.isEmpty()
          && cordoning == Cordoning.KEEP
          && taints.removed().isEmpty()
          && taints.added().isEmpty();
    }
  }

  /**
   * A change of conditions, and of metadata with them, as a strategic merge patch: conditions of
   * other clients stay, since the list is merged by type. It can test UID and version only.
   */
  record OfStatus(MetadataChange metadata, List<ConditionChange> conditions) implements NodeChange {
    public OfStatus {
      conditions = List.copyOf(conditions);
    }
  }

  /** The conditions that it changes. */
  default List<ConditionChange> conditions() {
    return List.of();
  }

  /** What it sets a condition to; empty if the condition stays, or is removed. */
  default Optional<ConditionChange.Set> conditionSet(NodeCondition type) {
    return conditionsSet().filter(change -> change.type() == type).findFirst();
  }

  /** The conditions that it sets. */
  default Stream<ConditionChange.Set> conditionsSet() {
    return conditions().stream()
        .flatMap(
            change -> change instanceof ConditionChange.Set set ? Stream.of(set) : Stream.empty());
  }

  /** What becomes of the cordon. */
  default Cordoning cordoning() {
    return Cordoning.KEEP;
  }

  /** The parts of the Node that it sets, each with its value, without times. */
  default SortedMap<String, Object> parts() {
    SortedMap<String, Object> parts = new TreeMap<>();
    metadata().addTo(parts);
    if (this instanceof OfSpec(_, _, TaintPatch taints)) {
      taints.removed().forEach(taint -> parts.put(part(taint), ""));
      taints.added().forEach(taint -> parts.put(part(taint), taint));
    }
    conditions().forEach(change -> parts.put("condition " + change.type().type(), change.text()));
    return parts;
  }

  private static String part(Taint taint) {
    return "taint %s:%s".formatted(taint.key(), taint.effect());
  }
}
