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
import io.nodepool.vocabulary.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

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

  Answer<Observation> report(Action.ReportNode report) {
    return with(
        report.node(),
        report.nodeUid(),
        node ->
            done(
                node,
                NodeEdit.of(node)
                    .registered(node.registered() || report.register())
                    .activity(Optional.of(report.activity()))));
  }

  Answer<Observation> cordon(Action.Cordon cordon) {
    return with(
        cordon.node(),
        cordon.nodeUid(),
        node ->
            node.cordoned() || !node.removal().equals(cordon.recorded())
                ? new Answer.Refused<>("it is not as it was seen")
                : done(node, NodeEdit.of(node).cordoned(true)));
  }

  Answer<Observation> mark(Action.MarkRemoval mark) {
    return unchanged(
        mark.node(),
        mark.nodeUid(),
        mark.nodeVersion(),
        node ->
            NodeEdit.of(node)
                .cordoned(node.cordoned() || mark.cordons())
                .removal(Optional.of(mark.removal())));
  }

  Answer<Observation> unmark(Action.UnmarkRemoval unmark) {
    return unchanged(
        unmark.node(),
        unmark.nodeUid(),
        unmark.nodeVersion(),
        node ->
            NodeEdit.of(node)
                .cordoned(node.cordoned() && !unmark.uncordon())
                .removal(unmark.instead().map(passed -> passed)));
  }

  Answer<Observation> begin(Action.BeginRemoval begin) {
    return unchanged(
        begin.node(),
        begin.nodeUid(),
        begin.nodeVersion(),
        node ->
            NodeEdit.of(node)
                .removal(Optional.of(begin.removal()))
                .removing(Optional.of(begin.says())));
  }

  Answer<Observation> report(Action.ReportRemoval report) {
    return with(
        report.node(),
        report.nodeUid(),
        node -> done(node, NodeEdit.of(node).removing(report.says())));
  }

  private Answer<Observation> unchanged(
      String name, String uid, long version, Function<Node, NodeEdit> change) {
    return with(
        name,
        uid,
        node ->
            node.version() == version
                ? done(node, change.apply(node))
                : new Answer.Refused<>("it is not as it was seen"));
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
            .map(store::seen)
            .orElseGet(() -> new Observation.NodeGone(node.name(), node.uid(), store.last())));
  }

  Answer<Observation> apply(Action.ApplyMetadata action) {
    return with(
        action.node(),
        action.nodeUid(),
        node ->
            WorldMetadata.changed(node.metadata(), action.change())
                .map(next -> done(node, NodeEdit.of(node).metadata(next)))
                .orElseGet(() -> new Answer.Refused<>("it is not as it was seen")));
  }

  private Answer<Observation> with(
      String name, String uid, Function<Node, Answer<Observation>> intent) {
    Node node = store.nodes.get(name);
    return node == null || !node.uid().equals(uid) ? new Answer.Missing<>() : intent.apply(node);
  }

  /** A write that changes nothing gives the Node no other version. */
  private Answer<Observation> done(Node node, NodeEdit edit) {
    boolean same = edit.at(node.version()).equals(node);
    return new Answer.Done<>(store.seen(same ? node : store.put(edit.at(store.next()))));
  }
}
