package io.nodepool.kubernetes;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.command.Crds;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Machine;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import java.time.Duration;

/** Prepares a cluster for the tests of this package. */
public final class TestCluster {
  public static final String TYPE = "gd-8xh100ib-i128";
  static final Machine MACHINE =
      new Machine(
          TYPE,
          new Machine.Location("US-EAST-04A", "US-EAST", "12", "dh1-r12", 7),
          new Machine.Interconnect("", "f1", new Machine.LeafGroup("1", "90.1-DH1", "203"), "1"));

  private TestCluster() {}

  /** Installs the CRDs and the operator's namespace, and waits until they are served. */
  public static void prepare(KubernetesClient client) {
    Crds.install(client);
    client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(OperatorRuntime.NAMESPACE)
                .endMetadata()
                .build())
        .serverSideApply();
  }

  /** Removes all pools, whose finalizers no operator removes any more. */
  public static void removePools(KubernetesClient client) {
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(() -> {
          var pools = client.resources(NodePool.class);
          pools.delete();
          pools
              .list()
              .getItems()
              .forEach(pool ->
                  client
                      .resource(pool)
                      .patch(
                          PatchContext.of(PatchType.JSON_MERGE),
                          "{\"metadata\": {\"finalizers\": null}}"));
          return pools.list().getItems().isEmpty();
        });
  }

  /** Creates a free Host. */
  public static Host freeHost(KubernetesClient client, String name) {
    return freeHost(client, name, MACHINE);
  }

  /** Creates a free Host with this machine. */
  static Host freeHost(KubernetesClient client, String name, Machine machine) {
    HostResource host = new HostResource();
    host.setMetadata(new ObjectMetaBuilder().withName(name).build());
    HostSpec spec = new HostSpec();
    spec.machine = HostConversion.machine(machine);
    host.setSpec(spec);
    client.resource(host).create();
    return report(client, name, HostStatus.Phase.FREE, 0);
  }

  /** Writes the status of a Host as its fleet. */
  public static Host report(
      KubernetesClient client, String name, HostStatus.Phase phase, long tenancy) {
    return HostConversion.host(
            client
                .resources(HostResource.class)
                .withName(name)
                .editStatus(host -> {
                  HostStatus status = new HostStatus();
                  status.phase = phase;
                  status.tenancy = tenancy;
                  status.since = "2026-11-21T05:00:00Z";
                  host.setStatus(status);
                  return host;
                }))
        .orElseThrow();
  }
}
