package io.nodepool.world;

import io.nodepool.model.Node;
import io.nodepool.model.NodeMetadata;
import io.nodepool.model.Removal;
import java.util.Optional;

/** A Node with some of its facts changed, before it gets its next version. */
final class NodeEdit {
  private final Node node;
  private boolean deleting;
  private boolean ready;
  private boolean registered;
  private Optional<Node.Activity> activity;
  private boolean cordoned;
  private Optional<Removal> removal;
  private Optional<Node.Removing> removing;
  private int volumes;
  private NodeMetadata metadata;

  private NodeEdit(Node node) {
    this.node = node;
    this.deleting = node.deleting();
    this.ready = node.ready();
    this.registered = node.registered();
    this.activity = node.activity();
    this.cordoned = node.cordoned();
    this.removal = node.removal();
    this.removing = node.removing();
    this.volumes = node.volumes();
    this.metadata = node.metadata();
  }

  static NodeEdit of(Node node) {
    return new NodeEdit(node);
  }

  NodeEdit deleting() {
    deleting = true;
    return this;
  }

  NodeEdit ready(boolean next) {
    ready = next;
    return this;
  }

  NodeEdit registered(boolean next) {
    registered = next;
    return this;
  }

  NodeEdit activity(Optional<Node.Activity> next) {
    activity = next;
    return this;
  }

  NodeEdit cordoned(boolean next) {
    cordoned = next;
    return this;
  }

  NodeEdit removal(Optional<Removal> next) {
    removal = next;
    return this;
  }

  NodeEdit removing(Optional<Node.Removing> next) {
    removing = next;
    return this;
  }

  NodeEdit volumes(int next) {
    volumes = next;
    return this;
  }

  NodeEdit metadata(NodeMetadata next) {
    metadata = next;
    return this;
  }

  /** The changed Node under this version. */
  Node at(long version) {
    return new Node(
        node.name(),
        node.uid(),
        version,
        node.hostUid(),
        node.tenancy(),
        node.createdAt(),
        deleting,
        ready,
        registered,
        activity,
        cordoned,
        removal,
        removing,
        volumes,
        metadata);
  }
}
