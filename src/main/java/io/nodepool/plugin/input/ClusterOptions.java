package io.nodepool.plugin.input;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.plugin.request.ClusterClient;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The options for the cluster of a command. */
public final class ClusterOptions {
  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Kubeconfig file. Default: $$KUBECONFIG, or ~/.kube/config.")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "Context of the kubeconfig. Default: its current one.")
  private Optional<String> context = Optional.empty();

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /**
   * The cluster.
   *
   * @throws io.nodepool.cli.command.CommandFailure if the kubeconfig or the context is not usable
   */
  public ClusterClient open() {
    return new ClusterClient(
        ConnectionOptions.requests(kubeconfig, context, CommandEnvironment.of(spec)));
  }
}
