package io.nodepool.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.fleet.FleetContract;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import org.junit.jupiter.api.AfterEach;

/** The contract of a fleet, on the fleet behind Host objects. */
@WithLocalCluster
class KubernetesFleetContractIT extends FleetContract {
  private final ContractCluster cluster;

  KubernetesFleetContractIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = new ContractCluster(cluster, admin);
  }

  @AfterEach
  void cleanUp() {
    cluster.close();
  }

  @Override
  protected Fleet fleet() {
    return cluster;
  }
}
