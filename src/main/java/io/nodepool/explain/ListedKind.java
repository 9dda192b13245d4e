package io.nodepool.explain;

import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.EnumSet;
import java.util.Set;

/** Kinds that explanations depend on, and that a user may be unable to list. */
public enum ListedKind {
  POOLS("NodePools"),
  HOSTS("Hosts"),
  NODES("Nodes"),
  PODS("Pods"),
  NAMESPACES("Namespaces"),
  SIGNALS("HostSignals"),
  SOURCES("SignalSources"),
  OFFER("the fleet's offer"),
  CATALOGUE("the changes of the alert catalogue");

  /** The choice of Nodes depends on these. */
  static final Set<ListedKind> OF_MEMBERS = EnumSet.of(HOSTS, NODES, PODS);

  /** A repair depends on these. */
  static final Set<ListedKind> OF_REPAIRS =
      EnumSet.of(HOSTS, NODES, SIGNALS, SOURCES, CATALOGUE, OFFER);

  private final String text;

  ListedKind(String text) {
    this.text = text;
  }

  /** Its name in a sentence. */
  public String text() {
    return text;
  }

  /** The kinds that a condition of a pool depends on. */
  static Set<ListedKind> of(PoolCondition condition) {
    return switch (condition) {
      case VALIDATED, ACCEPTED -> EnumSet.of(OFFER);
      case QUOTA -> EnumSet.of(OFFER, POOLS, HOSTS);
      case CAPACITY, SUFFICIENT_CAPACITY -> EnumSet.of(OFFER, POOLS, HOSTS);
      case AT_TARGET, ALLOCATED, NODES_REMOVED -> OF_MEMBERS;
      case NODE_RECONFIGURATION_REQUIRED -> EnumSet.of(OFFER, HOSTS, NODES, PODS);
      case METADATA_SYNCED -> EnumSet.of(HOSTS, NODES);
      case REPAIRS_HELD -> OF_REPAIRS;
    };
  }
}
