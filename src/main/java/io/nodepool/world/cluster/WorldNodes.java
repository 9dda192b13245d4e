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
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.plan.Action;
import io.nodepool.plan.DisruptionMarks;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

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
            Node.Status.JOINED.withBootId(host.report().bootId()),
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

  Answer<Observation> report(Action.ReportNode report) {
    return with(
        report.node(),
        report.nodeUid(),
        node ->
            done(
                node,
                node.withStatus(
                    node.status()
                        .withRegistered(node.registered() || report.register())
                        .withActivity(Optional.of(report.activity())))));
  }

  Answer<Observation> record(Action.RecordDisruption record) {
    Optional<Disruption> tested = record.tested();
    return with(
        record.node(),
        record.nodeUid(),
        node -> {
          boolean asSeen =
              tested.isPresent()
                  ? !node.cordoned() && node.disruption().equals(tested)
                  : node.version() == record.nodeVersion();
          return asSeen && applies(node, record)
              ? valid(node, recorded(node, record))
              : new Answer.Refused<>("it is not as it was seen");
        });
  }

  /** Whether the patch finds everything that it removes, and a map for what it adds. */
  private static boolean applies(Node node, Action.RecordDisruption record) {
    DisruptionMarks marks = record.marks();
    return (record.next().isPresent() || node.disruption().isPresent())
        && (marks.cordoning() != DisruptionMarks.Cordoning.UNCORDON || node.cordoned())
        && WorldMetadata.isThere(node.metadata().labels(), marks.labels())
        && WorldMetadata.isThere(node.metadata().annotations(), marks.annotations());
  }

  private static Node recorded(Node node, Action.RecordDisruption record) {
    return node.withCordoned(
            switch (record.marks().cordoning()) {
              case KEEP -> node.cordoned();
              case CORDON -> true;
              case UNCORDON -> false;
            })
        .withDisruption(record.next())
        .withMetadata(marked(node.metadata(), record.marks()));
  }

  private static NodeMetadata marked(NodeMetadata metadata, DisruptionMarks marks) {
    return metadata
        .withLabels(changed(metadata.labels(), marks.labels()))
        .withAnnotations(changed(metadata.annotations(), marks.annotations()));
  }

  private static SortedMap<String, String> changed(
      SortedMap<String, String> before, SortedMap<String, Optional<String>> changes) {
    SortedMap<String, String> next = new TreeMap<>(before);
    changes.forEach((key, value) -> {
      if (value.isPresent()) {
        next.put(key, value.get());
      } else {
        next.remove(key);
      }
    });
    return next;
  }

  Answer<Observation> commit(Action.CommitDisruption commit) {
    return unchanged(
        commit.node(),
        commit.nodeUid(),
        commit.nodeVersion(),
        node -> {
          return node.withDisruption(Optional.of(commit.next()))
              .withMetadata(marked(node.metadata(), commit.marks()))
              .withStatus(committed(node.status(), commit));
        });
  }

  private static Node.Status committed(Node.Status status, Action.CommitDisruption commit) {
    Node.Status next = commit.says().isPresent() ? status.withRemoving(commit.says()) : status;
    return commit
        .state()
        .map(state -> next.withLifecycle(next.lifecycle().withPhase(state)))
        .orElse(next);
  }

  Answer<Observation> report(Action.ReportRemoval report) {
    return with(
        report.node(),
        report.nodeUid(),
        node -> done(node, node.withStatus(node.status().withRemoving(report.says()))));
  }

  Answer<Observation> report(Action.ReportLifecycle report) {
    return with(
        report.node(),
        report.nodeUid(),
        node -> done(node, node.withStatus(node.status().withLifecycle(report.next()))));
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

  Answer<Observation> drop(Action.DropRebootPolicy drop) {
    return unchanged(
        drop.node(),
        drop.nodeUid(),
        drop.nodeVersion(),
        node ->
            node.withMetadata(
                marked(
                    node.metadata(),
                    DisruptionMarks.NONE.withAnnotation(
                        NodeAnnotations.REBOOT_POLICY.key(), Optional.empty()))));
  }

  private Answer<Observation> unchanged(
      String name, String uid, long version, UnaryOperator<Node> change) {
    return with(
        name,
        uid,
        node ->
            node.version() == version
                ? valid(node, change.apply(node))
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
                .map(next -> valid(node, node.withMetadata(next)))
                .orElseGet(() -> new Answer.Refused<>("it is not as it was seen")));
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

  /** Stores the Node; a write that changes nothing gives it no other version. */
  private Answer<Observation> done(Node node, Node next) {
    return new Answer.Done<>(
        store.seen(next.equals(node) ? node : store.put(next.withVersion(store.next()))));
  }
}
