package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.local.programs.Folders;
import io.nodepool.local.programs.LocalClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * One attempt to start a local cluster. It results in a cluster that is ready, or in an exception
 * after which no process is left.
 */
final class LocalClusterStart {

  /** Another process uses one of the ports; a start with other ports may succeed. */
  static final class PortTakenException extends Exception {
    private final LocalClusterException failure;
    private final transient ClusterFolder folder;

    PortTakenException(LocalClusterException failure, ClusterFolder folder) {
      super(failure);
      this.failure = failure;
      this.folder = folder;
    }

    /** The failure to report if no further attempt is made. */
    LocalClusterException failure() {
      return failure;
    }

    /** Removes the attempt's logs, which are not needed after another attempt. */
    void forget() {
      try {
        Folders.delete(folder.root());
      } catch (IOException e) {
        throw new UncheckedIOException("The logs of a failed attempt cannot be removed", e);
      }
    }
  }

  private static final long POLL_MILLISECONDS = 50;
  private static final int SHOWN_LOG_LINES = 15;
  private static final String PORT_TAKEN = "address already in use";

  private final LocalClusterOptions options;
  private final ClusterFolder folder;
  private final Ports ports;
  private final Credentials credentials;
  private final ControlPlaneCommands commands;
  private final List<ChildProcess> children = new ArrayList<>();
  private final long begunNanos = System.nanoTime();

  private LocalClusterStart(
      LocalClusterOptions options, Path binaries, ClusterFolder folder, Ports ports)
      throws IOException {
    this.options = options;
    this.folder = folder;
    this.ports = ports;
    this.credentials = Credentials.create(folder);
    this.commands = new ControlPlaneCommands(binaries, folder, ports, options);
  }

  /**
   * Starts the four programs and waits until the cluster is ready.
   *
   * @param triedPorts the ports of earlier attempts, which are not used again; this attempt's ports
   *     are added
   * @throws PortTakenException if another process took one of the ports; another attempt may
   *     succeed
   * @throws LocalClusterException for any other failure
   */
  static LocalCluster attempt(LocalClusterOptions options, Path binaries, Set<Integer> triedPorts)
      throws PortTakenException {
    try {
      ClusterFolder folder = ClusterFolder.create(options.parent(), options.keepLogs());
      return new LocalClusterStart(options, binaries, folder, Ports.free(triedPorts)).run();
    } catch (IOException e) {
      throw new LocalClusterException(
          "The local cluster cannot be started below " + options.parent() + ": " + e, e);
    }
  }

  private LocalCluster run() throws IOException, PortTakenException {
    boolean started = false;
    try {
      ChildProcess store = launch(ControlPlaneProgram.ETCD);
      ChildProcess apiServer = launch(ControlPlaneProgram.API_SERVER);
      HealthEndpoint api = endpoint(ControlPlaneProgram.API_SERVER, ports.apiServer());
      await(apiServer, () -> api.answers("/readyz"));

      String caPem = Files.readString(folder.certificate(ControlPlaneProgram.API_SERVER));
      writeKubeconfig(
          ControlPlaneProgram.CONTROLLER_MANAGER, caPem, credentials.controllerManager());
      writeKubeconfig(ControlPlaneProgram.SCHEDULER, caPem, credentials.scheduler());
      ChildProcess controllerManager = launch(ControlPlaneProgram.CONTROLLER_MANAGER);
      ChildProcess scheduler = launch(ControlPlaneProgram.SCHEDULER);
      HealthEndpoint controllers =
          endpoint(ControlPlaneProgram.CONTROLLER_MANAGER, ports.controllerManager());
      HealthEndpoint binder = endpoint(ControlPlaneProgram.SCHEDULER, ports.scheduler());
      await(controllerManager, () -> controllers.answers("/healthz"));
      await(scheduler, () -> binder.answers("/healthz"));
      // Pods can be created once this account exists.
      String account = "/api/v1/namespaces/default/serviceaccounts/default";
      await(controllerManager, () -> api.answers(account));
      started = true;
      return new LocalCluster(
          options.log(),
          folder,
          List.of(store, apiServer, controllerManager, scheduler),
          Ports.url(ports.apiServer()),
          credentials.admin(),
          caPem);
    } finally {
      if (!started) {
        children.forEach(ChildProcess::stop);
        children.forEach(ChildProcess::awaitEnd);
        Folders.delete(folder.state());
      }
    }
  }

  private ChildProcess launch(ControlPlaneProgram program) throws IOException {
    ChildProcess child = ChildProcess.start(program, commands.of(program), folder);
    children.add(child);
    return child;
  }

  private HealthEndpoint endpoint(ControlPlaneProgram program, int port) {
    return new HealthEndpoint(Ports.url(port), folder.certificate(program), credentials.admin());
  }

  private void writeKubeconfig(ControlPlaneProgram program, String caPem, String token)
      throws IOException {
    Files.writeString(
        folder.kubeconfig(program),
        Kubeconfig.yaml(LocalCluster.NAME, Ports.url(ports.apiServer()), caPem, token));
  }

  private void await(ChildProcess waitedFor, BooleanSupplier ready) throws PortTakenException {
    while (true) {
      for (ChildProcess child : children) {
        if (!child.isAlive()) {
          throw died(child);
        }
      }
      if (ready.getAsBoolean()) {
        return;
      }
      Duration passed = Duration.ofNanos(System.nanoTime() - begunNanos);
      if (passed.compareTo(options.limit()) > 0) {
        throw new LocalClusterException(
            "%s was not ready after %d s.%s"
                .formatted(
                    waitedFor.program().fileName(),
                    passed.toSeconds(),
                    logOf(waitedFor.program())));
      }
      pause();
    }
  }

  /** Waits for the polling interval, or until a program ends. */
  private void pause() {
    CompletableFuture<?>[] ends =
        children.stream().map(ChildProcess::ended).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.anyOf(ends).get(POLL_MILLISECONDS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      // All programs are running.
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end of a process cannot fail", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalClusterException("The start of the local cluster was interrupted.", e);
    }
  }

  private LocalClusterException died(ChildProcess child) throws PortTakenException {
    ControlPlaneProgram program = child.program();
    String log = logOf(program);
    LocalClusterException failure =
        new LocalClusterException(
            "%s ended with exit code %d while the local cluster started.%s"
                .formatted(program.fileName(), child.exitCode(), log));
    if (log.contains(PORT_TAKEN)) {
      throw new PortTakenException(failure, folder);
    }
    return failure;
  }

  private String logOf(ControlPlaneProgram program) {
    return "%nThe last lines of its log, %s:%n%s"
        .formatted(
            folder.log(program),
            String.join(System.lineSeparator(), folder.lastLines(program, SHOWN_LOG_LINES)));
  }
}
