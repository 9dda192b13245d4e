package io.nodepool.world;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.InstanceType;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Node;
import io.nodepool.model.NodeMetadata;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodeChange;
import io.nodepool.vocabulary.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The virtual world's Nodes, and intents about them as compare-and-set. */
final class WorldNodes {
  private final WorldStore store;
  private final InstanceCatalogue catalogue;

  WorldNodes(WorldStore store, InstanceCatalogue catalogue) {
    this.store = store;
    this.catalogue = catalogue;
  }

  /**
   * A machine joins as its Node, with what its pool's spec gives it; false if the Node is there.
   */
  boolean join(Host host, Instant now) {
    if (store.nodes.containsKey(host.id().name())) {
      return false;
    }
    Assignment assignment = host.assignment().orElseThrow();
    store.put(
        new Node(
            host.id().name(),
            store.newUid("node"),
            store.next(),
            host.id().uid(),
            host.tenancy(),
            now,
            false,
            true,
            false,
            Optional.empty(),
            false,
            Optional.empty(),
            Optional.empty(),
            0,
            joined(host, assignment)));
    return true;
  }

  private NodeMetadata joined(Host host, Assignment assignment) {
    NodeTemplate template = assignment.node().permitted();
    String reserved =
        Reservation.of(
            Reservation.PRODUCTION, assignment.pool().name(), store.offer().organization());
    SortedMap<String, String> labels = new TreeMap<>(template.labels());
    labels.put(NodeLabels.NODE_POOL.key(), assignment.pool().name());
    labels.put(NodeLabels.NODE_POOL_UID.key(), assignment.pool().uid());
    labels.put(NodeLabels.COMPUTE_CLASS.key(), assignment.computeClass());
    labels.put(NodeLabels.STATE.key(), Reservation.PRODUCTION);
    labels.put(NodeLabels.RESERVED.key(), reserved);
    List<Taint> taints = new ArrayList<>();
    catalogue
        .find(host.machine().instanceType())
        .map(InstanceType::kindTaint)
        .ifPresent(taints::add);
    Reservation.taint(Reservation.PRODUCTION, reserved).ifPresent(taints::add);
    taints.addAll(template.taints());
    return new NodeMetadata(Optional.of(template), labels, template.annotations(), taints);
  }

  /** Somebody changes what a Node carries. */
  void edit(String name, UnaryOperator<NodeMetadata> edit) {
    Node node = store.nodes.get(name);
    if (node != null) {
      store.put(Changed.metadata(node, store.next(), edit.apply(node.metadata())));
    }
  }

  Answer<Observation> report(Action.ReportNode report) {
    return with(
        report.node(),
        report.nodeUid(),
        node ->
            done(
                Changed.node(
                    node,
                    store.next(),
                    node.registered() || report.register(),
                    Optional.of(report.activity()),
                    node.cordoned())));
  }

  Answer<Observation> cordon(Action.Cordon cordon) {
    return with(
        cordon.node(),
        cordon.nodeUid(),
        node ->
            node.cordoned()
                ? new Answer.Refused<>("it is cordoned already")
                : done(Changed.node(node, store.next(), node.registered(), node.activity(), true)));
  }

  Answer<Observation> mark(Action.MarkRemoval mark) {
    return unchanged(
        mark.node(),
        mark.nodeUid(),
        mark.nodeVersion(),
        node ->
            Changed.removal(
                node,
                store.next(),
                node.cordoned() || mark.cordons(),
                Optional.of(mark.removal()),
                node.removing()));
  }

  Answer<Observation> unmark(Action.UnmarkRemoval unmark) {
    return unchanged(
        unmark.node(),
        unmark.nodeUid(),
        unmark.nodeVersion(),
        node ->
            Changed.removal(
                node,
                store.next(),
                node.cordoned() && !unmark.uncordon(),
                Optional.empty(),
                node.removing()));
  }

  Answer<Observation> begin(Action.BeginRemoval begin) {
    return unchanged(
        begin.node(),
        begin.nodeUid(),
        begin.nodeVersion(),
        node ->
            Changed.removal(
                node,
                store.next(),
                node.cordoned(),
                Optional.of(begin.removal()),
                Optional.of(begin.says())));
  }

  Answer<Observation> report(Action.ReportRemoval report) {
    return with(
        report.node(),
        report.nodeUid(),
        node ->
            done(
                Changed.removal(
                    node,
                    store.next(),
                    node.cordoned(),
                    node.removal(),
                    Optional.of(report.says()))));
  }

  private Answer<Observation> unchanged(
      String name, String uid, long version, UnaryOperator<Node> change) {
    return with(
        name,
        uid,
        node ->
            node.version() == version
                ? done(change.apply(node))
                : new Answer.Refused<>("it is not as it was seen"));
  }

  /** Somebody cordons a Node, or uncordons it. */
  void cordonByHand(String name, boolean cordoned) {
    Node node = store.nodes.get(name);
    if (node != null) {
      store.put(Changed.node(node, store.next(), node.registered(), node.activity(), cordoned));
    }
  }

  Answer<Observation> delete(Action.DeleteNode delete) {
    Node node = store.nodes.get(delete.node());
    if (node == null) {
      return new Answer.Done<>(
          new Observation.NodeGone(delete.node(), delete.nodeUid(), store.last()));
    }
    if (!node.uid().equals(delete.nodeUid())) {
      return new Answer.Refused<>("another Node has the name now");
    }
    store.delete(node);
    return new Answer.Done<>(
        Optional.ofNullable(store.nodes.get(node.name()))
            .<Observation>map(WorldStore::seen)
            .orElseGet(() -> new Observation.NodeGone(node.name(), node.uid(), store.last())));
  }

  Answer<Observation> apply(Action.ApplyMetadata action) {
    return with(
        action.node(),
        action.nodeUid(),
        node ->
            changed(node.metadata(), action.change())
                .<Answer<Observation>>map(next -> done(Changed.metadata(node, store.next(), next)))
                .orElseGet(() -> new Answer.Refused<>("it is not as it was seen")));
  }

  /** The metadata after the change; empty if it is not as it was seen. */
  private static Optional<NodeMetadata> changed(NodeMetadata now, NodeChange change) {
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

  /** What is not there cannot be removed. */
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
    for (int i = change.taints().size() - 1; i >= 0; i--) {
      Taint seen = change.taints().get(i);
      if (change.taintsRemoved().contains(seen)) {
        if (i >= next.size() || !next.get(i).equals(seen)) {
          return Optional.empty();
        }
        next.remove(i);
      }
    }
    for (Taint taint : change.taintsAdded()) {
      if (next.stream().anyMatch(taint::isSame)) {
        return Optional.empty();
      }
      next.add(taint);
    }
    boolean appeared = change.taints().isEmpty() && !now.isEmpty();
    boolean vanished = !change.taints().isEmpty() && now.isEmpty();
    return !change.taintsAdded().isEmpty() && (appeared || vanished)
        ? Optional.empty()
        : Optional.of(next);
  }

  private Answer<Observation> with(
      String name, String uid, Function<Node, Answer<Observation>> intent) {
    Node node = store.nodes.get(name);
    return node == null || !node.uid().equals(uid) ? new Answer.Missing<>() : intent.apply(node);
  }

  private Answer<Observation> done(Node node) {
    return new Answer.Done<>(WorldStore.seen(store.put(node)));
  }
}
