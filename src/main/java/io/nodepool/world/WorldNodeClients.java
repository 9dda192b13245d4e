package io.nodepool.world;

import io.nodepool.model.NodeMetadata;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What kubelets, other controllers and people do to the virtual world's Nodes. A Node that does not
 * exist is left alone.
 */
public final class WorldNodeClients {
  private static final String HEARTBEAT = "example.com/heartbeat";

  private final WorldStore store;

  WorldNodeClients(WorldStore store) {
    this.store = store;
  }

  /** A change that changes nothing gives no new version, as on a real API server. */
  private void edit(String name, UnaryOperator<NodeEdit> edit) {
    Optional.ofNullable(store.nodes.get(name))
        .filter(node -> !edit.apply(NodeEdit.of(node)).at(node.version()).equals(node))
        .ifPresent(node -> store.put(edit.apply(NodeEdit.of(node)).at(store.next())));
  }

  /** Changes labels, annotations and taints. */
  public void metadata(String name, UnaryOperator<NodeMetadata> change) {
    Optional.ofNullable(store.nodes.get(name))
        .ifPresent(node -> edit(name, next -> next.metadata(change.apply(node.metadata()))));
  }

  /** Cordons a Node, or uncordons it. */
  public void cordon(String name, boolean cordoned) {
    edit(name, next -> next.cordoned(cordoned));
  }

  /** Sets the Ready condition. */
  public void ready(String name, boolean ready) {
    edit(name, next -> next.ready(ready));
  }

  /** Changes something that nobody decides on: the Node gets another version and nothing else. */
  public void touch(String name) {
    metadata(name, WorldNodeClients::touched);
  }

  private static NodeMetadata touched(NodeMetadata metadata) {
    SortedMap<String, String> annotations = new TreeMap<>(metadata.annotations());
    annotations.merge(HEARTBEAT, "odd", (last, odd) -> last.equals(odd) ? "even" : odd);
    return new NodeMetadata(metadata.applied(), metadata.labels(), annotations, metadata.taints());
  }

  /** Takes off the record of a removal. */
  public void stripRemoval(String name) {
    edit(name, next -> next.removal(Optional.empty()));
  }

  /** Takes off the conditions that the operator set. */
  public void stripConditions(String name) {
    edit(
        name, next -> next.registered(false).activity(Optional.empty()).removing(Optional.empty()));
  }

  /** Attaches so many volumes more, or detaches them. */
  public void volumes(String name, int change) {
    Optional.ofNullable(store.nodes.get(name))
        .ifPresent(node -> edit(name, next -> next.volumes(Math.max(0, node.volumes() + change))));
  }

  /** Puts a finalizer on a Node: once deleted, it stays until {@link #letGo}. */
  public void keep(String name) {
    Optional.ofNullable(store.nodes.get(name))
        .ifPresent(node -> {
          store.kept.add(node.uid());
          touch(name);
        });
  }

  /** Takes the finalizer off; a Node whose deletion was asked for goes. */
  public void letGo(String name) {
    Optional.ofNullable(store.nodes.get(name))
        .ifPresent(node -> {
          store.kept.remove(node.uid());
          if (node.deleting()) {
            store.delete(node);
          } else {
            touch(name);
          }
        });
  }

  /** Whether the Node carries a finalizer. */
  public boolean isKept(String name) {
    return Optional.ofNullable(store.nodes.get(name))
        .filter(node -> store.kept.contains(node.uid()))
        .isPresent();
  }

  /** Deletes a Node. */
  public void delete(String name) {
    Optional.ofNullable(store.nodes.get(name)).ifPresent(store::delete);
  }
}
