package io.nodepool.cli.dev;

import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.input.Admission;
import io.nodepool.cli.input.Manifests;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The cluster of a command: its own, or an existing one. */
public final class DevCluster implements AutoCloseable {
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
   * @param progress receives lines about long steps
   */
  public static DevCluster start(ControlPlaneBinaries binaries, Consumer<String> progress) {
    LocalCluster cluster =
        LocalCluster.start(LocalClusterOptions.standard(progress).withBinaries(binaries));
    return new DevCluster(Optional.of(cluster), Config.fromKubeconfig(cluster.kubeconfig()));
  }

  /** Uses an existing cluster. */
  static DevCluster existing(Config config) {
    return new DevCluster(Optional.empty(), config);
  }

  /** The client configuration of the user. */
  public Config config() {
    return config;
  }

  /**
   * The client configuration of an account, which it impersonates on the command's own cluster: its
   * admission policies reject some writes of the user, which they allow the operator and the data
   * centre.
   */
  Config config(String account) {
    return own.isEmpty()
        ? config
        : new ConfigBuilder(config)
            .withImpersonateUsername(account)
            .withImpersonateGroups("system:masters")
            .build();
  }

  /**
   * Whether the cluster is the command's own local one: it tolerates silent kubelets and has only
   * simulated Nodes.
   */
  boolean isOwn() {
    return own.isPresent();
  }

  /** The kubeconfig of the own cluster; empty for an existing one. */
  public Optional<String> kubeconfig() {
    return own.map(LocalCluster::kubeconfig);
  }

  /**
   * Installs what the operator and the data centre need, and on the own cluster the admission
   * policies. In an existing cluster, policies would restrict its users. Idempotent.
   *
   * @param exceptions the reserved keys that NodePools may set
   */
  public void install(KeyExceptions exceptions) {
    Crds.install(client, exceptions);
    if (own.isPresent()) {
      Admission.install(client, exceptions);
      permit(Admission.OPERATOR, "nodepool-operator");
      permit(Admission.DATA_CENTRE, "nodepool-data-centre");
      provideVerificationClass();
    }
    Manifests.applyNamespace(client, OperatorRuntime.NAMESPACE);
  }

  /** The priority class of the provider's verification Pods (contract §20), as in the chart. */
  private void provideVerificationClass() {
    client
        .resource(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName("cw-hpc-verification")
                .endMetadata()
                .withValue(-1000)
                .withDescription("Verification of idle Nodes; any other Pod preempts it.")
                .build())
        .serverSideApply();
  }

  /** Lets a user act as an account with {@code kubectl --as}, as where the chart is installed. */
  private void permit(String account, String name) {
    client
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("rbac.authorization.k8s.io", "User", account, null)
                .build())
        .serverSideApply();
  }

  /**
   * Applies an object exactly as its manifest defines it.
   *
   * @throws CommandFailure with the API server's message if it rejects the object
   */
  public void apply(Manifests.Manifest manifest) {
    manifest.apply(client);
  }

  /**
   * Waits until a data centre has created its machines and published its offer; a NodePool that is
   * applied earlier would report that they are missing.
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
          "Data centre %s did not create its %d machines within %d s."
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
