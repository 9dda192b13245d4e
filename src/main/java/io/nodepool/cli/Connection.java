package io.nodepool.cli;

import io.fabric8.kubernetes.client.Config;
import io.nodepool.kubernetes.OperatorRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options that say which cluster a command works on, and in which namespace. */
final class Connection {
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
      description =
          "Namespace of the operator and of the fleet's offer. Default: ${DEFAULT-VALUE}.")
  private String namespace = OperatorRuntime.NAMESPACE;

  /** Where the operator and the fleet's offer are. */
  String namespace() {
    return namespace;
  }

  /**
   * How the cluster is reached, and as whom.
   *
   * @throws CommandFailure if a kubeconfig was named that cannot be read
   */
  Config config() {
    kubeconfig
        .filter(file -> !Files.isReadable(file))
        .ifPresent(file -> {
          throw new CommandFailure("%s cannot be read.".formatted(file));
        });
    return kubeconfig
        .map(file -> Config.fromKubeconfig(context.orElse(null), file.toFile()))
        .orElseGet(() -> Config.autoConfigure(context.orElse(null)));
  }
}
