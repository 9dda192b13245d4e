package io.nodepool.world.cluster;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeAlerts;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.condition.NodeCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Changes of the virtual world's Nodes by kubelets, other controllers and users. A change of a Node
 * that does not exist has no effect.
 */
public final class WorldNodeClients {
  private static final String HEARTBEAT = "example.com/heartbeat";

  private final WorldStore store;

  WorldNodeClients(WorldStore store) {
    this.store = store;
  }

  private Optional<Node> node(String name) {
    return Optional.ofNullable(store.nodes.get(name));
  }

  /** Changes a Node; an edit without a difference gives no new version, as on a real API server. */
  private void edit(String name, UnaryOperator<Node> edit) {
    edit(name, "client", edit);
  }

  private void edit(String name, String manager, UnaryOperator<Node> edit) {
    node(name)
        .filter(node -> !edit.apply(node).equals(node))
        .ifPresent(node -> store.put(edit.apply(node).withVersion(store.next()), manager));
  }

  private void metadata(String name, String manager, UnaryOperator<NodeMetadata> change) {
    edit(name, manager, node -> node.withMetadata(change.apply(node.metadata())));
  }

  private void status(String name, UnaryOperator<NodeStatus> edit) {
    edit(name, node -> node.withStatus(edit.apply(node.status())));
  }

  /** Changes labels, annotations and taints. */
  public void metadata(String name, UnaryOperator<NodeMetadata> change) {
    metadata(name, "client", change);
  }

  /** Cordons a Node, or uncordons it. */
  public void cordon(String name, boolean cordoned) {
    edit(name, node -> node.withCordoned(cordoned));
  }

  /** Sets the Ready condition. */
  public void ready(String name, boolean ready) {
    status(name, status -> status.withReady(ready, store.now()));
  }

  /** The kubelet reports another boot of its machine, and that the Node is Ready. */
  public void booted(String name, String bootId) {
    status(name, status -> status.withBootId(bootId).withReady(true, store.now()));
  }

  /** Changes an annotation that no decision depends on: the Node only gets another version. */
  public void touch(String name) {
    metadata(name, WorldNodeClients::touched);
  }

  private static NodeMetadata touched(NodeMetadata metadata) {
    SortedMap<String, String> annotations = new TreeMap<>(metadata.annotations());
    annotations.merge(HEARTBEAT, "odd", (last, odd) -> last.equals(odd) ? "even" : odd);
    return metadata.withAnnotations(annotations);
  }

  /** Sets a label, or removes it, as {@code kubectl label} does. */
  public void label(String name, String key, Optional<String> value) {
    metadata(
        name,
        "kubectl-label",
        metadata -> metadata.withLabels(with(metadata.labels(), key, value)));
  }

  /** Sets an annotation, or removes it, as {@code kubectl annotate} does. */
  public void annotation(String name, String key, Optional<String> value) {
    metadata(
        name,
        "kubectl-annotate",
        metadata -> metadata.withAnnotations(with(metadata.annotations(), key, value)));
  }

  private static SortedMap<String, String> with(
      SortedMap<String, String> values, String key, Optional<String> value) {
    SortedMap<String, String> next = new TreeMap<>(values);
    value.ifPresentOrElse(text -> next.put(key, text), () -> next.remove(key));
    return next;
  }

  /** Appends a condition PendingPhaseState that is True, as clients do to request a phase. */
  public void appendPending(String name, String phase, Instant now) {
    status(
        name,
        status -> {
          int entries =
              status
                  .condition(NodeCondition.PENDING_PHASE_STATE)
                  .map(NodeStatus.Entry::entries)
                  .orElse(0);
          return status.with(
              NodeCondition.PENDING_PHASE_STATE,
              Optional.of(
                  new NodeStatus.Entry(true, phase, "requested by a client", now, 1 + entries)));
        });
  }

  /** Removes the condition PendingPhaseState. */
  public void dropPending(String name) {
    drop(name, NodeCondition.PENDING_PHASE_STATE);
  }

  private void drop(String name, NodeCondition... types) {
    status(
        name,
        status -> {
          NodeStatus next = status;
          for (NodeCondition type : types) {
            next = next.with(type, Optional.empty());
          }
          return next;
        });
  }

  /** A monitor sets a condition about the machine's health, at this moment. */
  public void observe(String name, String type) {
    others(name, others -> others.put(type, new NodeAlerts.Other(store.now(), store.now(), "")));
  }

  /** Monitors confirm again the health conditions that they confirmed within this time. */
  public void confirm(String name, Duration within) {
    Instant since = store.now().minus(within);
    others(
        name,
        others ->
            others.replaceAll((_, each) ->
                each.heartbeat().isAfter(since)
                    ? new NodeAlerts.Other(each.since(), store.now(), each.message())
                    : each));
  }

  /** Monitors remove the health conditions that they set before this instant. */
  public void takeBack(String name, Instant before) {
    others(name, others -> others.values().removeIf(each -> each.since().isBefore(before)));
  }

  private void others(String name, Consumer<SortedMap<String, NodeAlerts.Other>> change) {
    status(
        name,
        status -> {
          SortedMap<String, NodeAlerts.Other> next = new TreeMap<>(status.alerts().others());
          change.accept(next);
          return status.withAlerts(new NodeAlerts(status.alerts().published(), next));
        });
  }

  /** Removes the record of a removal. */
  public void stripRemoval(String name) {
    node(name).ifPresent(node -> store.stripped.add(node.uid()));
    edit(name, node -> node.withDisruption(Optional.empty()));
  }

  /** Whether another client ever removed the record of a removal or reboot of this Node. */
  public boolean hasStripped(Node node) {
    return store.stripped.contains(node.uid());
  }

  /** Removes the conditions that the operator set. */
  public void stripConditions(String name) {
    drop(name, NodeCondition.REGISTERED, NodeCondition.ACTIVE, NodeCondition.NODE_REMOVAL);
  }

  /** Attaches this number of volumes, or detaches them if it is negative. */
  public void volumes(String name, int change) {
    status(name, status -> status.withVolumes(Math.max(0, status.volumes() + change)));
  }

  /** Adds a finalizer to a Node: a deleted Node then exists until {@link #letGo}. */
  public void keep(String name) {
    node(name)
        .ifPresent(node -> {
          store.kept.add(node.uid());
          touch(name);
        });
  }

  /** Removes the finalizer; a Node whose deletion was requested is removed. */
  public void letGo(String name) {
    node(name)
        .ifPresent(node -> {
          store.kept.remove(node.uid());
          if (node.deleting()) {
            store.delete(node);
          } else {
            touch(name);
          }
        });
  }

  /** Deletes a Node. */
  public void delete(String name) {
    node(name).ifPresent(store::delete);
  }
}
