package io.nodepool.plan;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What is to become different about a Node's metadata, in one write. It is a compare-and-set on
 * what it was decided on; what it does not name stays as it is, also what came to be there
 * meanwhile.
 *
 * @param recorded what the Node's record said; if it says something else now, nothing is changed
 * @param record what the record is to say, if it is to change
 * @param labels labels to be set, or to be removed where there is no value
 * @param annotations annotations likewise
 * @param taints its taints, as they are and are to be
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
   * @param seen the taints that were seen on the Node, in its own order
   * @param removed those of them that are to go; if one is no longer where it was, nothing is
   *     changed
   * @param added taints to be added; if the Node has one of them meanwhile, nothing is changed
   */
  public record TaintPatch(List<Taint> seen, List<Taint> removed, List<Taint> added) {
    public TaintPatch {
      seen = List.copyOf(seen);
      removed = List.copyOf(removed);
      added = List.copyOf(added);
    }

    /** The same, others of those that were seen to go. */
    public TaintPatch withRemoved(List<Taint> next) {
      return new TaintPatch(seen, next, added);
    }
  }

  public NodeChange {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /** Whether it would change nothing. */
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
