package io.nodepool.bench.measure;

import io.nodepool.bench.BenchCluster;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import java.util.HashMap;
import java.util.Map;

/** Which Hosts are assigned, and how often they were, kept up to date by a watch. */
public final class Assignments implements AutoCloseable {
  private final KindWatch<HostResource> watch;

  /** The tenancy of each assigned Host; guarded by this. */
  private final Map<String, Long> tenancies = new HashMap<>();

  /** Begins to watch. */
  public Assignments(BenchCluster cluster) {
    this.watch =
        new KindWatch<>(
            "Host",
            cluster.watching().resources(HostResource.class),
            SlimStore.identityOnly(HostResource::new),
            this::note,
            this::forget);
    watch.start();
  }

  private synchronized void note(HostResource host) {
    if (host.getSpec().assignment == null) {
      forget(host);
    } else {
      tenancies.put(host.getMetadata().getName(), host.getSpec().tenancy);
    }
  }

  private synchronized void forget(HostResource host) {
    tenancies.remove(host.getMetadata().getName());
  }

  /** How many are assigned. */
  public synchronized int count() {
    return tenancies.size();
  }

  @Override
  public void close() {
    watch.close();
  }
}
