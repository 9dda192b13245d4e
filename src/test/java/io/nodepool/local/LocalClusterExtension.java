package io.nodepool.local;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Starts one local cluster for a test run when the first test needs it, and closes it after the
 * last test. Installs the programs if they are missing.
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

  /** A client without retries for the user of the kubeconfig. */
  public static KubernetesClient client(String kubeconfig) {
    Config config = Config.fromKubeconfig(kubeconfig);
    config.setRequestRetryBackoffLimit(0);
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  /** Closed by the root store at the end of the run. */
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
