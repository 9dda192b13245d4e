package io.nodepool.world.operator;

import io.nodepool.model.Observation;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The observations of a watch that the operator has not folded yet. */
public final class WatchStream {
  private final Deque<Observation> waiting = new ArrayDeque<>();
  private final InstantSource time;
  int listed;
  public Instant stalledUntil = Instant.MIN;

  /** Since when the stream is behind, if observations wait. */
  Instant behindSince = Instant.MIN;

  WatchStream(InstantSource time) {
    this.time = time;
  }

  void add(Observation seen) {
    behindSince = isEmpty() ? time.instant() : behindSince;
    waiting.addLast(seen);
  }

  /** The observations that are on their way. */
  Stream<Observation> waiting() {
    return waiting.stream();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  Observation next() {
    listed = Math.max(0, listed - 1);
    return waiting.removeFirst();
  }

  /**
   * Drops all but the last state of each object, as a broken watch and a new list do. A deletion is
   * kept, even if another object has the name.
   */
  public void coalesce() {
    if (listed > 0) {
      return;
    }
    Map<String, Observation> last = new LinkedHashMap<>();
    for (Observation seen : waiting) {
      String name = name(seen);
      last.remove(name);
      last.put(isGone(seen) ? name + " is gone " + last.size() : name, seen);
    }
    waiting.clear();
    waiting.addAll(last.values());
  }

  private static boolean isGone(Observation seen) {
    return seen instanceof Observation.PoolGone
        || seen instanceof Observation.HostGone
        || seen instanceof Observation.NodeGone
        || seen instanceof Observation.SignalsGone
        || seen instanceof Observation.SourceGone;
  }

  /** The name of the object that was observed. */
  public static String name(Observation seen) {
    return switch (seen) {
      case Observation.PoolSeen(var pool) -> pool.id().name();
      case Observation.PoolGone(var pool, long _) -> pool.name();
      case Observation.PoolFoundEmpty(var pool) -> pool.name();
      case Observation.HostSeen(var host) -> host.id().name();
      case Observation.HostGone(var host, long _) -> host.name();
      case Observation.NodeSeen(var node) -> node.name();
      case Observation.NodeGone(String name, String _, long _) -> name;
      case Observation.SignalsSeen(var signals) -> "signals of " + signals.host();
      case Observation.SignalsGone(String host, String _, long _) -> "signals of " + host;
      case Observation.SourceSeen(var source) -> "heartbeat of " + source.name();
      case Observation.SourceGone(String name, String _, long _) -> "heartbeat of " + name;
      case Observation.PodSeen(var pod) -> pod.uid();
      case Observation.PodGone(String _, String uid, long _) -> uid;
      case Observation.PoolUnreadable(var pool, long _, String _) -> pool.name();
      case Observation.HostUnreadable(var host, long _, String _, String _) -> host.name();
      case Observation.NodeUnreadable(String name, String _, long _, String _) -> name;
      case Observation.PodsListed(String name, String _, long _, var _) -> name;
      case Observation.RequestTimed(String name, String _, long _, var _) -> name;
      case Observation.JobSeen(String name, String _, var _) -> name;
      case Observation.Announced(String name, String _, var _, String _) -> name;
      case Observation.MachineRead(var host, int _, boolean _, var _) -> host.name();
      case Observation.EvictionTried(String _, String uid, var _) -> uid;
      case Observation.NamespaceSeen(var namespace) -> "namespace " + namespace.name();
      case Observation.NamespaceAuthored(var namespace, var _) -> "namespace " + namespace.name();
      case Observation.NamespaceGone(String name, String _, long _) -> "namespace " + name;
      case Observation.OfferSeen _, Observation.OfferLost _ -> "offer";
      case Observation.CatalogueSeen _, Observation.CatalogueRefused _ -> "alerts";
      case Observation.HostsDefined _ -> "definition of Hosts";
      case Observation.ApiServerSeen _ -> "version of the API server";
    };
  }
}
