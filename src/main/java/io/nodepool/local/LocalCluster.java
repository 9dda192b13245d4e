package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.local.programs.Folders;
import io.nodepool.local.programs.LocalClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A real Kubernetes control plane without machines, which runs in child processes of this one and
 * is reachable from this machine only. When it is closed, or when this process dies for any reason,
 * its processes are killed and its data is removed.
 */
public final class LocalCluster implements AutoCloseable {

  /** The name of the cluster, the user and the context in the kubeconfig. */
  public static final String NAME = "nodepool-dev";

  private static final int ATTEMPTS = 5;

  private final ClusterFolder folder;
  private final Consumer<String> log;
  private final List<ChildProcess> children;
  private final String url;
  private final String adminToken;
  private final String caPem;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicBoolean logsNamed = new AtomicBoolean();
  private final Set<ChildProcess> killed = ConcurrentHashMap.newKeySet();

  /** Creates a handle of a cluster that is ready. */
  LocalCluster(
      Consumer<String> log,
      ClusterFolder folder,
      List<ChildProcess> children,
      String url,
      String adminToken,
      String caPem) {
    this.folder = folder;
    this.log = log;
    this.children = new CopyOnWriteArrayList<>(children);
    this.url = url;
    this.adminToken = adminToken;
    this.caPem = caPem;
    children.forEach(this::watchOver);
  }

  private void watchOver(ChildProcess child) {
    var _ = child.ended().thenRun(() -> reportUnexpectedEnd(child));
  }

  /**
   * Finds, downloads or builds the four programs, starts them and waits until the cluster is ready.
   * Takes some four seconds if the programs are installed.
   *
   * @throws LocalClusterException with the failed program and the end of its log; all processes
   *     have ended then, and the logs are kept
   */
  public static LocalCluster start(LocalClusterOptions options) {
    Path binaries = options.binaries().find();
    Set<Integer> triedPorts = new HashSet<>();
    for (int attempt = 1; ; attempt++) {
      try {
        return LocalClusterStart.attempt(options, binaries, triedPorts);
      } catch (LocalClusterStart.PortTakenException e) {
        if (attempt == ATTEMPTS) {
          throw e.failure();
        }
        options.log().accept("Another process took a port of the local cluster; starting again.");
        e.forget();
      }
    }
  }

  /**
   * The kubeconfig of a member of {@code system:masters}, as YAML; its context is {@link #NAME}.
   */
  public String kubeconfig() {
    return Kubeconfig.yaml(NAME, url, caPem, adminToken);
  }

  /** The API server's address. */
  public String url() {
    return url;
  }

  /** The bearer token of a member of {@code system:masters}. */
  public String adminToken() {
    return adminToken;
  }

  /** The API server's certificate and that of its authority, as PEM. */
  public String caPem() {
    return caPem;
  }

  /** The directory with one log for each program, named after it. */
  public Path logDirectory() {
    return folder.logs();
  }

  /** The process ids of the four programs. */
  public List<Long> pids() {
    return children.stream().map(ChildProcess::pid).toList();
  }

  /** The process id of one program. */
  public long pid(ControlPlaneProgram program) {
    return child(program).pid();
  }

  private ChildProcess child(ControlPlaneProgram program) {
    return children.stream().filter(child -> child.program() == program).findFirst().orElseThrow();
  }

  /**
   * Kills one program, as a crash does, and waits for its end. Its stored data stays; {@link
   * #startAgain} starts it again.
   */
  public void kill(ControlPlaneProgram program) {
    ChildProcess child = child(program);
    killed.add(child);
    child.stop();
    child.awaitEnd();
  }

  /**
   * Starts a killed program again at the same address, without waiting until it is ready.
   *
   * @throws LocalClusterException if it cannot be started
   */
  public void startAgain(ControlPlaneProgram program) {
    ChildProcess before = child(program);
    try {
      ChildProcess child = before.startAgain(folder);
      children.set(children.indexOf(before), child);
      watchOver(child);
    } catch (IOException e) {
      throw new LocalClusterException(
          "%s cannot be started again: %s".formatted(program.fileName(), e), e);
    }
  }

  /**
   * Suspends one program with SIGSTOP until the cluster is closed: it keeps its resources and does
   * nothing.
   *
   * @throws LocalClusterException if it cannot be suspended
   */
  public void suspend(ControlPlaneProgram program) {
    try {
      int code = new ProcessBuilder("kill", "-STOP", Long.toString(pid(program))).start().waitFor();
      if (code != 0) {
        throw new LocalClusterException("%s cannot be suspended.".formatted(program.fileName()));
      }
    } catch (IOException e) {
      throw new LocalClusterException(
          "%s cannot be suspended: %s".formatted(program.fileName(), e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalClusterException("Suspending a program was interrupted.", e);
    }
  }

  /**
   * Kills the four programs, waits for their end, and removes their data; the logs stay if a
   * message named one. Idempotent.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    children.forEach(ChildProcess::stop);
    children.forEach(ChildProcess::awaitEnd);
    try {
      Folders.delete(logsNamed.get() ? folder.state() : folder.disposable());
    } catch (IOException e) {
      throw new UncheckedIOException("The local cluster's data cannot be removed", e);
    }
  }

  private void reportUnexpectedEnd(ChildProcess child) {
    if (!closed.get() && !killed.contains(child)) {
      logsNamed.set(true);
      log.accept(
          "%s ended unexpectedly with exit code %d; its log is kept: %s"
              .formatted(
                  child.program().fileName(), child.exitCode(), folder.log(child.program())));
    }
  }
}
