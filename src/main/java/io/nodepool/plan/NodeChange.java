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
 * @param taints the taints that were seen on the Node, in its own order
 * @param taintsRemoved those of them that are to go; if one is no longer where it was, nothing is
 *     changed
 * @param taintsAdded taints to be added; if the Node has one of them meanwhile, nothing is changed
 */
public record NodeChange(
    Optional<NodeTemplate> recorded,
    Optional<NodeTemplate> record,
    SortedMap<String, Optional<String>> labels,
    SortedMap<String, Optional<String>> annotations,
    List<Taint> taints,
    List<Taint> taintsRemoved,
    List<Taint> taintsAdded) {

  public NodeChange {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    taints = List.copyOf(taints);
    taintsRemoved = List.copyOf(taintsRemoved);
    taintsAdded = List.copyOf(taintsAdded);
  }

  /** Whether it would change nothing. */
  public boolean isEmpty() {
    return record.isEmpty()
        && labels.isEmpty()
        && annotations.isEmpty()
        && taintsRemoved.isEmpty()
        && taintsAdded.isEmpty();
  }
}
