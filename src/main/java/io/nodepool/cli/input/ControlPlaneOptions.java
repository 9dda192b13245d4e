package io.nodepool.cli.input;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options for the programs of a local control plane. */
public final class ControlPlaneOptions {
  @Option(
      names = "--binaries",
      paramLabel = "DIR",
      description =
          "Directory with etcd, kube-apiserver, kube-controller-manager and kube-scheduler. Default: $KUBEBUILDER_ASSETS,"
              + " or the user's cache, which is filled once from the official releases or with Go.")
  private Optional<Path> binaries = Optional.empty();

  @Option(
      names = "--binary-mirror",
      paramLabel = "URL",
      description =
          "Base URL to download them from instead of dl.k8s.io and github.com. Default: $NODEPOOL_BINARY_MIRROR.")
  private Optional<String> mirror = Optional.empty();

  @Option(
      names = "--insecure-mirror",
      description = "Accept a mirror without TLS, http://. Others may replace what it serves.")
  private boolean insecureMirror;

  @Option(
      names = "--offline",
      description = "Use no network: Go builds them from the modules in its cache.")
  private boolean offline;

  /** Whether one of the options is set. */
  public boolean isGiven() {
    return binaries.isPresent() || mirror.isPresent() || insecureMirror || offline;
  }

  /**
   * Creates the search for the programs.
   *
   * @param spec the command that has these options
   * @throws ParameterException if the options or the environment are not valid
   */
  public ControlPlaneBinaries search(CommandSpec spec, Progress progress) {
    CommandEnvironment surroundings = CommandEnvironment.of(spec);
    ControlPlaneBinaries search =
        new ControlPlaneBinaries(
            new ControlPlaneBinaries.Choice(binaries, mirror, insecureMirror, offline),
            surroundings.environment(),
            surroundings.home(),
            progress,
            InstantSource.system());
    search
        .mistake()
        .ifPresent(why -> {
          throw new ParameterException(spec.commandLine(), why);
        });
    return search;
  }
}
