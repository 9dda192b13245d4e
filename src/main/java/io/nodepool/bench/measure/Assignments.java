package io.nodepool.bench.measure;

import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import java.util.HashMap;
import java.util.Map;

/** The assigned Hosts and how often each was assigned, kept up to date by a watch. */
public final class Assignments implements AutoCloseable {
  private final KindWatch<HostResource> watch;

  /** The tenancy of each assigned Host; guarded by this. */
  private final Map<String, Long> tenancies = new HashMap<>();

  /** Starts the watch. */
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

  /** The number of assigned Hosts. */
  public synchronized int count() {
    return tenancies.size();
  }

  @Override
  public void close() {
    watch.close();
  }
}
