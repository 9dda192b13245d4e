package io.nodepool.plan;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A change of a Node's metadata, in one write. It is a compare-and-set on the state it was decided
 * on. What it does not name stays unchanged, including what other clients added meanwhile.
 *
 * @param recorded the Node's record when this was decided; if the record differs now, nothing is
 *     changed
 * @param record the new record; empty if it does not change
 * @param labels labels to set, or to remove where the value is empty
 * @param annotations annotations likewise
 * @param taints the change of its taints
 */
public record NodeChange(
    Optional<NodeTemplate> recorded,
    Optional<NodeTemplate> record,
    SortedMap<String, Optional<String>> labels,
    SortedMap<String, Optional<String>> annotations,
    TaintPatch taints) {
  /**
   * A change of a Node's taints.
   *
   * @param seen the taints observed on the Node, in its own order
   * @param removed those of them to remove; if one is no longer at its observed position, nothing
   *     is changed
   * @param added taints to add; if the Node has one of them meanwhile, nothing is changed
   */
  public record TaintPatch(List<Taint> seen, List<Taint> removed, List<Taint> added) {
    public TaintPatch {
      seen = List.copyOf(seen);
      removed = List.copyOf(removed);
      added = List.copyOf(added);
    }

    /** This patch with other taints to remove. */
    public TaintPatch withRemoved(List<Taint> next) {
      return new TaintPatch(seen, next, added);
    }
  }

  public NodeChange {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /** Whether the change is empty. */
  public boolean isEmpty() {
    return record.isEmpty()
        && labels.isEmpty()
        && annotations.isEmpty()
        && taints.removed().isEmpty()
        && taints.added().isEmpty();
  }

  /** This change with another record of what is applied. */
  public NodeChange withRecord(Optional<NodeTemplate> next) {
    return new NodeChange(recorded, next, labels, annotations, taints);
  }

  /** This change with another change of the taints. */
  public NodeChange withTaints(TaintPatch next) {
    return new NodeChange(recorded, record, labels, annotations, next);
  }
}
