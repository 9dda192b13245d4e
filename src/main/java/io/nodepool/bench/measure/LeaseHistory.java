package io.nodepool.bench.measure;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.nodepool.bench.BenchCluster;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Who held the operators' Lease one after the other, as a watch saw it. */
public final class LeaseHistory implements AutoCloseable {
  private static final String LEASE = "nodepool-operator";

  private final KindWatch<Lease> watch;

  /** Holders' identities; empty text where it was given back; guarded by this. */
  private final List<String> holders = new ArrayList<>();

  /** Begins to watch. */
  public LeaseHistory(BenchCluster cluster) {
    this.watch =
        new KindWatch<>(
            "Lease",
            cluster
                .watching()
                .leases()
                .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
                .withName(LEASE),
            SlimStore.identityOnly(Lease::new),
            lease -> note(lease.getSpec()),
            _ -> {});
    watch.start();
  }

  private synchronized void note(LeaseSpec spec) {
    String holder = Objects.requireNonNullElse(spec.getHolderIdentity(), "");
    if (holders.isEmpty() || !holders.getLast().equals(holder)) {
      holders.add(holder);
    }
  }

  /** Whether the last who held it took it after it was given back, not after its time was over. */
  public synchronized boolean wasTakenAfterItWasGivenBack(String lastHolder) {
    int last = holders.size() - 1;
    return last >= 1 && holders.get(last).startsWith(lastHolder) && holders.get(last - 1).isEmpty();
  }

  @Override
  public void close() {
    watch.close();
  }
}
