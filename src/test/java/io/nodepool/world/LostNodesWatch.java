package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Watches which Hosts are set aside because of failed reboots, as their objects show. */
final class LostNodesWatch {
  private final Map<String, Host> hosts = new HashMap<>();
  private final List<Host> left = new ArrayList<>();

  private LostNodesWatch() {}

  static LostNodesWatch of(WorldCluster cluster) {
    LostNodesWatch watch = new LostNodesWatch();
    cluster.watch(WorldCluster.Kind.HOSTS, watch::see);
    return watch;
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      Host last = hosts.put(host.id().uid(), host);
      if (host.deliveries().isSetAside() && (last == null || !last.deliveries().isSetAside())) {
        left.add(host);
      }
    }
  }

  List<Host> left() {
    return List.copyOf(left);
  }
}
