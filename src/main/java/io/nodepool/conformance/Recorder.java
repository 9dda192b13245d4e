package io.nodepool.conformance;

import io.nodepool.conformance.History.Fact;
import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Collects observations and actions. Thread-safe; each observation wakes waiting threads. */
public final class Recorder {
  private final InstantSource clock;
  private final List<Fact> facts = new ArrayList<>();
  private final SortedMap<String, Host> hosts = new TreeMap<>();
  private final Map<String, Node> nodes = new HashMap<>();
  private Set<String> tested = Set.of();

  /** A recorder without facts. */
  public Recorder(InstantSource clock) {
    this.clock = clock;
  }

  /** From now on, facts about these Hosts are kept; the first one is their current state. */
  synchronized void test(List<String> names) {
    tested = Set.copyOf(names);
    names.forEach(name -> add(new History.HostVersion(clock.instant(), host(name))));
  }

  /** Takes in an observation of a Host or a Node. */
  public synchronized void observe(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      know(host);
      add(new History.HostVersion(clock.instant(), host));
    } else if (seen instanceof Observation.HostUnreadable(var host, _, String why, _)) {
      add(new History.Unreadable(clock.instant(), host.name(), why));
    } else if (seen instanceof Observation.HostGone(var host, _)) {
      hosts.remove(host.name());
      add(new History.HostDeleted(clock.instant(), host.name()));
    } else if (seen instanceof Observation.NodeSeen(Node node)) {
      nodes.put(node.name(), node);
      add(new History.NodeVersion(clock.instant(), node));
    } else if (seen instanceof Observation.NodeUnreadable(String name, _, _, String why)) {
      add(new History.Unreadable(clock.instant(), name, why));
    } else if (seen instanceof Observation.NodeGone(String name, String uid, _)) {
      nodes.values().removeIf(node -> node.uid().equals(uid));
      add(new History.NodeDeleted(clock.instant(), name, uid));
    }
    notifyAll();
  }

  /** Records a Host; an answer may show it earlier than its watch. */
  synchronized void know(Host host) {
    hosts.merge(
        host.id().name(),
        host,
        (last, next) ->
            last.id().equals(next.id()) && last.version() > next.version() ? last : next);
  }

  /** Adds a fact about a Host that is tested. */
  synchronized void add(Fact fact) {
    if (tested.contains(fact.host())) {
      facts.add(fact);
    }
  }

  /** The Hosts by name, as last seen. */
  public synchronized SortedMap<String, Host> hosts() {
    return new TreeMap<>(hosts);
  }

  /** A tested Host, as last seen. */
  synchronized Host host(String name) {
    return Optional.ofNullable(hosts.get(name))
        .orElseThrow(() -> new IllegalStateException("Host %s was deleted.".formatted(name)));
  }

  /** The Node of this name that has the identity of a Host, as last seen. */
  synchronized Optional<Node> node(String name) {
    return Optional.ofNullable(nodes.get(name));
  }

  /** All facts so far, about a fleet with this offer. */
  public synchronized History history(History.Offered offer) {
    return new History(offer, facts);
  }
}
