package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneProgram;
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
 * A real Kubernetes control plane without a single machine, run by child processes of this one and
 * reachable from this machine only. It keeps nothing: when it is closed, or this process dies in
 * whatever way, its processes are killed and its data is removed.
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
  private final Set<ChildProcess> killed = ConcurrentHashMap.newKeySet();

  /** A cluster that is ready. */
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
    var _ = child.ended().thenRun(() -> tellUnexpectedEnd(child));
  }

  /**
   * Finds or builds the four programs, starts them and waits until the cluster can be used. Takes
   * some four seconds where the programs are at hand.
   *
   * @throws LocalClusterException with the program at fault and the end of its log; no process is
   *     left then, and the logs stay
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
        options.log().accept("A port of the local cluster was taken meanwhile; starting again.");
        forget(e);
      }
    }
  }

  private static void forget(LocalClusterStart.PortTakenException attempt) {
    try {
      attempt.forget();
    } catch (IOException e) {
      throw new UncheckedIOException("The logs of a failed attempt cannot be removed", e);
    }
  }

  /**
   * A kubeconfig, as YAML, for a member of {@code system:masters}; its context is {@link #NAME}.
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

  /** The API server's certificate and that of the authority which signed it, as PEM. */
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
   * Kills one program, as a crash does, and waits for its end. What it had stored stays; only
   * {@link #startAgain} brings it back.
   */
  public void kill(ControlPlaneProgram program) {
    ChildProcess child = child(program);
    killed.add(child);
    child.stop();
    child.awaitEnd();
  }

  /**
   * Starts a program that was killed once more, at the same address, and does not wait until it can
   * be used.
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
   * Stops one program where it stands, as SIGSTOP does: it keeps what it holds and does nothing any
   * more, until the cluster is closed.
   *
   * @throws LocalClusterException if it cannot be stopped
   */
  public void suspend(ControlPlaneProgram program) {
    try {
      int code = new ProcessBuilder("kill", "-STOP", Long.toString(pid(program))).start().waitFor();
      if (code != 0) {
        throw new LocalClusterException("%s cannot be stopped.".formatted(program.fileName()));
      }
    } catch (IOException e) {
      throw new LocalClusterException(
          "%s cannot be stopped: %s".formatted(program.fileName(), e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LocalClusterException("It was interrupted.", e);
    }
  }

  /**
   * Kills the four programs, waits for their end, and removes their data. A second call does
   * nothing.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    children.forEach(ChildProcess::stop);
    children.forEach(ChildProcess::awaitEnd);
    try {
      Folders.delete(folder.disposable());
    } catch (IOException e) {
      throw new UncheckedIOException("The local cluster's data cannot be removed", e);
    }
  }

  private void tellUnexpectedEnd(ChildProcess child) {
    if (!closed.get() && !killed.contains(child)) {
      log.accept(
          "%s ended unexpectedly with exit code %d; its log: %s"
              .formatted(
                  child.program().fileName(), child.exitCode(), folder.log(child.program())));
    }
  }
}
