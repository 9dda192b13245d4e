package io.nodepool.cli.dev;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.Admission;
import io.nodepool.cli.CommandFailure;
import io.nodepool.cli.Crds;
import io.nodepool.cli.input.Manifests;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.convert.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.local.programs.ControlPlaneBinaries;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The cluster that {@code nodepool dev} works on: its own, or one that exists. */
final class DevCluster implements AutoCloseable {
  /** Enough for tens of thousands of machines. */
  private static final long FLEET_WITHIN_SECONDS = 300;

  private final Optional<LocalCluster> own;
  private final Config config;
  private final KubernetesClient client;

  private DevCluster(Optional<LocalCluster> own, Config config) {
    this.own = own;
    this.config = config;
    this.client = Clients.forRequests(config, new RequestMeter(new SimpleMeterRegistry()));
  }

  /**
   * Starts a local cluster.
   *
   * @param binaries finds the control plane's programs
   * @param progress told what takes long
   */
  static DevCluster start(ControlPlaneBinaries binaries, Consumer<String> progress) {
    LocalCluster cluster =
        LocalCluster.start(LocalClusterOptions.standard(progress).withBinaries(binaries));
    return new DevCluster(Optional.of(cluster), Config.fromKubeconfig(cluster.kubeconfig()));
  }

  /** Takes a cluster that exists. */
  static DevCluster existing(Config config) {
    return new DevCluster(Optional.empty(), config);
  }

  /** How clients reach the cluster. */
  Config config() {
    return config;
  }

  /** How the operator reaches the cluster. */
  Config operatorConfig() {
    return as(Admission.OPERATOR);
  }

  /** How the data centre reaches the cluster. */
  Config dataCentreConfig() {
    return as(Admission.DATA_CENTRE);
  }

  /**
   * On the own cluster the user is refused what the operator and the data centre may write, so they
   * go by the names that the admission policies exempt.
   */
  private Config as(String account) {
    return own.isEmpty()
        ? config
        : new ConfigBuilder(config)
            .withImpersonateUsername(account)
            .withImpersonateGroups("system:masters")
            .build();
  }

  /**
   * Whether the cluster is a local one of the command's own: it waits for silent kubelets and has
   * no Nodes but simulated ones.
   */
  boolean isOwn() {
    return own.isPresent();
  }

  /** A client for single requests. */
  KubernetesClient client() {
    return client;
  }

  /** The kubeconfig of the own cluster; empty for one that exists, whose user has it. */
  Optional<String> kubeconfig() {
    return own.map(LocalCluster::kubeconfig);
  }

  /**
   * Brings in what the operator and the data centre need, and on the own cluster the admission
   * policies too; in another one they would change what its users may do. Repeating it changes
   * nothing.
   */
  void install() {
    Crds.install(client);
    if (own.isPresent()) {
      Admission.install(client);
    }
    Manifests.applyNamespace(client, OperatorRuntime.NAMESPACE);
  }

  /**
   * Applies an object as it stands in its manifest.
   *
   * @throws CommandFailure with the API server's words if it does not take it
   */
  void apply(Manifests.Manifest manifest) {
    manifest.apply(client);
  }

  /**
   * Waits until a data centre has its machines and has published what it offers; a NodePool that is
   * applied earlier would complain about their absence.
   */
  void awaitFleet(String name, int machines) {
    try {
      client
          .resources(SimulatedFleet.class)
          .withName(name)
          .waitUntilCondition(
              fleet ->
                  fleet != null
                      && fleet.getStatus() != null
                      && fleet.getStatus().hosts != null
                      && fleet.getStatus().hosts >= machines,
              FLEET_WITHIN_SECONDS,
              TimeUnit.SECONDS);
      client
          .configMaps()
          .inNamespace(OperatorRuntime.NAMESPACE)
          .withName(OfferDocument.NAME)
          .waitUntilCondition(Objects::nonNull, FLEET_WITHIN_SECONDS, TimeUnit.SECONDS);
    } catch (KubernetesClientTimeoutException e) {
      throw new CommandFailure(
          "Data centre %s did not bring its %d machines in within %d s."
              .formatted(name, machines, FLEET_WITHIN_SECONDS),
          e);
    }
  }

  @Override
  public void close() {
    client.close();
    own.ifPresent(LocalCluster::close);
  }
}
