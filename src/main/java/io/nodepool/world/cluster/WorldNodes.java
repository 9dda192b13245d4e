package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** Intents on the virtual world's Nodes, as compare-and-set. */
final class WorldNodes {
  private final WorldStore store;
  private final InstanceCatalogue catalogue;

  WorldNodes(WorldStore store, InstanceCatalogue catalogue) {
    this.store = store;
    this.catalogue = catalogue;
  }

  /** Creates a machine's Node with the metadata of its pool's spec; false if the Node exists. */
  boolean join(Host host, Instant now) {
    if (store.nodes.containsKey(host.id().name())) {
      return false;
    }
    Assignment assignment = host.assignment().orElseThrow();
    store.put(
        new Node(
            new Node.Identity(
                host.id().name(), store.newUid("node"), now, host.id().uid(), host.tenancy()),
            store.next(),
            joined(host, assignment),
            false,
            Optional.empty(),
            NodeStatus.JOINED.withBootId(host.report().bootId()),
            Node.Finalization.NONE));
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

  /** Changes a Node as the server does: completely or not at all. */
  Answer<Observation> write(Action.WriteNode write) {
    return with(
        write.node(),
        write.nodeUid(),
        node ->
            WorldNodeChange.of(node, write, store.now())
                .map(next -> valid(node, next))
                .orElseGet(() -> new Answer.Refused<>("it is not as it was seen")));
  }

  /** Reads when the request on a Node and its policy were set. */
  Answer<Observation> times(Action.AskRequestTimes ask) {
    return with(
        ask.node(),
        ask.nodeUid(),
        node ->
            new Answer.Done<>(
                new Observation.RequestTimed(
                    node.name(), node.uid(), node.version(), store.fieldTimes.request(node))));
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

  private Answer<Observation> with(
      String name, String uid, Function<Node, Answer<Observation>> intent) {
    Node node = store.nodes.get(name);
    return node == null || !node.uid().equals(uid) ? new Answer.Missing<>() : intent.apply(node);
  }

  /** Stores the Node if its metadata is valid. */
  private Answer<Observation> valid(Node node, Node next) {
    return store
        .validation
        .node(next)
        .map(ObjectValidation::<Observation>invalid)
        .orElseGet(() -> done(node, next));
  }

  /** Stores the Node; a write that changes nothing does not change its version. */
  private Answer<Observation> done(Node node, Node next) {
    return new Answer.Done<>(
        store.seen(next.equals(node) ? node : store.put(next.withVersion(store.next()))));
  }
}
