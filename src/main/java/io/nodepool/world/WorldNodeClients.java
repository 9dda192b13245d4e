package io.nodepool.world;

import java.util.Optional;

/**
 * What other controllers and people do to the virtual world's Nodes. A Node that does not exist is
 * left alone.
 */
public final class WorldNodeClients {
  private final WorldStore store;

  WorldNodeClients(WorldStore store) {
    this.store = store;
  }

  /** Takes off the conditions that the operator set. */
  public void stripConditions(String name) {
    Optional.ofNullable(store.nodes.get(name))
        .ifPresent(node ->
            store.put(
                Changed.conditions(node, store.next(), false, Optional.empty(), Optional.empty())));
  }

  /** Puts a finalizer on a Node: once deleted, it stays until {@link #letGo}. */
  public void keep(String name) {
    Optional.ofNullable(store.nodes.get(name)).ifPresent(node -> store.kept.add(node.uid()));
  }

  /** Takes the finalizer off; a Node whose deletion was asked for goes. */
  public void letGo(String name) {
    Optional.ofNullable(store.nodes.get(name))
        .ifPresent(node -> {
          store.kept.remove(node.uid());
          if (node.deleting()) {
            store.delete(node);
          }
        });
  }
}
