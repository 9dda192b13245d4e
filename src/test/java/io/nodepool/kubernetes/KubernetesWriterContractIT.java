package io.nodepool.kubernetes;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.control.RemovalWriterContract;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import org.junit.jupiter.api.AfterEach;

/** The writer to a real API server keeps the contract that the virtual world's keeps. */
@WithLocalCluster
class KubernetesWriterContractIT extends RemovalWriterContract {
  private final ContractCluster cluster;

  KubernetesWriterContractIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = new ContractCluster(cluster, admin);
  }

  @AfterEach
  void cleanUp() {
    cluster.close();
  }

  @Override
  protected Cluster cluster() {
    return cluster;
  }
}
