package io.nodepool.cli.input;

import io.fabric8.kubernetes.client.Config;
import io.nodepool.cli.command.ApiRefusal;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options for the cluster and the namespace of a command. */
public final class ConnectionOptions {
  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description =
          "Kubeconfig file. Default: $KUBECONFIG, ~/.kube/config, or the Pod's service account.")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "Context of the kubeconfig. Default: its current one.")
  private Optional<String> context = Optional.empty();

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      defaultValue = OperatorRuntime.NAMESPACE,
      converter = OptionValues.OfNamespace.class,
      description =
          "Namespace of the operator and of the fleet's offer. Default: ${DEFAULT-VALUE}.")
  private String namespace = OperatorRuntime.NAMESPACE;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** The namespace of the operator and of the fleet's offer. */
  public String namespace() {
    return namespace;
  }

  /**
   * The client configuration: the cluster and the user.
   *
   * @throws CommandFailure if the kubeconfig or the context is not usable, or none is found
   */
  public Config config() {
    return config(kubeconfig, context, CommandEnvironment.of(spec));
  }

  /** The client configuration from these values. */
  public static Config config(
      Optional<Path> kubeconfig, Optional<String> context, CommandEnvironment surroundings) {
    Optional<KubeconfigFiles> files = KubeconfigFiles.find(kubeconfig, surroundings);
    return files.isPresent()
        ? files.get().config(context)
        : ofServiceAccount(context, surroundings);
  }

  /**
   * A client of the same cluster and user.
   *
   * @param client creates it, which reads the keys and certificates
   */
  public static <T> T open(
      Optional<Path> kubeconfig,
      Optional<String> context,
      CommandEnvironment surroundings,
      Function<Config, T> client) {
    Optional<KubeconfigFiles> files = KubeconfigFiles.find(kubeconfig, surroundings);
    return files.isPresent()
        ? files.get().open(context, client)
        : client.apply(ofServiceAccount(context, surroundings));
  }

  private static Config ofServiceAccount(
      Optional<String> context, CommandEnvironment surroundings) {
    boolean isInPod = surroundings.environment().containsKey("KUBERNETES_SERVICE_HOST");
    if (!isInPod || context.isPresent()) {
      throw CommandFailure.wrongInput("No kubeconfig found: set --kubeconfig FILE or KUBECONFIG.");
    }
    try {
      return Config.autoConfigure(null);
    } catch (RuntimeException e) {
      throw CommandFailure.wrongInput(
          "The Pod's service account cannot be used: " + ApiRefusal.rootMessage(e), e);
    }
  }
}
