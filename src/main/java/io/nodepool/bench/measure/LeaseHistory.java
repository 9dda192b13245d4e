package io.nodepool.bench.measure;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.kubernetes.watch.KindWatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The successive holders of the operators' Lease, as a watch observed them. */
public final class LeaseHistory implements AutoCloseable {
  private static final String LEASE = "nodepool-operator";

  private final KindWatch<Lease> watch;

  /** The holders' identities; an empty text where the Lease was released; guarded by this. */
  private final List<String> holders = new ArrayList<>();

  /** Starts the watch. */
  public LeaseHistory(BenchCluster cluster) {
    this.watch =
        cluster.watch(
            "Lease",
            cluster
                .watching()
                .leases()
                .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
                .withName(LEASE),
            Lease::new,
            lease -> note(lease.getSpec()));
  }

  private synchronized void note(LeaseSpec spec) {
    String holder = Objects.requireNonNullElse(spec.getHolderIdentity(), "");
    if (holders.isEmpty() || !holders.getLast().equals(holder)) {
      holders.add(holder);
    }
  }

  /** Whether the last holder acquired the Lease after it was released, not after it expired. */
  public synchronized boolean wasTakenAfterItWasGivenBack(String lastHolder) {
    int last = holders.size() - 1;
    return last >= 1 && holders.get(last).startsWith(lastHolder) && holders.get(last - 1).isEmpty();
  }

  @Override
  public void close() {
    watch.close();
  }
}
