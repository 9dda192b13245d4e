package io.nodepool.local;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts one local cluster for a whole test run, when the first test asks for it, and ends it after
 * the last. Builds the programs where they are missing.
 */
public final class LocalClusterExtension implements ParameterResolver {

  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(LocalClusterExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == LocalCluster.class || type == KubernetesClient.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Shared shared =
        context
            .getRoot()
            .getStore(NAMESPACE)
            .computeIfAbsent(Shared.class, _ -> Shared.start(), Shared.class);
    return parameter.getParameter().getType() == LocalCluster.class
        ? shared.cluster()
        : shared.client();
  }

  /** A client that sends every request once, as whoever the kubeconfig names. */
  public static KubernetesClient client(String kubeconfig) {
    Config config = Config.fromKubeconfig(kubeconfig);
    config.setRequestRetryBackoffLimit(0);
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  /** The root store closes it when the run is over. */
  private record Shared(LocalCluster cluster, KubernetesClient client) implements AutoCloseable {

    static Shared start() {
      LocalCluster cluster = LocalCluster.start(LocalClusterOptions.standard(System.err::println));
      return new Shared(cluster, LocalClusterExtension.client(cluster.kubeconfig()));
    }

    @Override
    public void close() {
      client.close();
      cluster.close();
    }
  }
}
