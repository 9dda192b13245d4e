package io.nodepool.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.local.programs.LocalClusterException;
import io.nodepool.local.programs.Progress;
import java.io.BufferedReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The end of local clusters that are not closed, or that never become ready. */
@Tag("local-cluster")
class LocalClusterEndIT {

  private final List<String> said = new CopyOnWriteArrayList<>();

  @TempDir private Path folder;

  @Test
  void nothingOutlivesAProcessThatIsKilled() throws Exception {
    nothingOutlives(holder -> {});
  }

  @Test
  void nothingOutlivesAProcessWhoseGroupGotASignalBefore() throws Exception {
    nothingOutlives(holder ->
        holder.descendants().filter(LocalClusterEndIT::isGuardian).forEach(ProcessHandle::destroy));
  }

  /** Starts a process that holds a cluster, does something to it, and kills it. */
  private void nothingOutlives(Consumer<Process> before) throws Exception {
    Path parent = Files.createDirectory(folder.resolve("clusters"));
    Process holder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                HoldLocalCluster.class.getName(),
                parent.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<Long> pids;
    try (BufferedReader lines = holder.inputReader()) {
      pids = Stream.of(lines.readLine().split(" ")).map(Long::valueOf).toList();
      assertThat(pids).hasSize(4).allMatch(LocalClusterEndIT::isAlive);
      before.accept(holder);
    } finally {
      // SIGKILL: no shutdown hook runs.
      holder.destroyForcibly();
    }
    await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> {
          assertThat(pids).noneMatch(LocalClusterEndIT::isAlive);
          assertThat(parent).isEmptyDirectory();
        });
  }

  @Test
  void aProgramThatDiesAtTheStartIsNamedWithItsLog() throws Exception {
    Path binaries =
        realBinariesBut(ControlPlaneProgram.ETCD, "echo no room on the disk >&2\nexit 3");
    LocalClusterOptions options = options().withBinaries(InstalledControlPlane.in(binaries));
    List<Long> before = guardians();

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> LocalCluster.start(options))
        .withMessageContaining("etcd ended with exit code 3")
        .withMessageContaining("no room on the disk")
        .satisfies(failure ->
            assertThat(onlyFolder().resolve("logs").resolve("etcd.log"))
                .hasContent("no room on the disk")
                .satisfies(log -> assertThat(failure).hasMessageContaining(log.toString())));
    assertThat(onlyFolder().resolve("state")).doesNotExist();
    // Other tests of this run may hold a cluster of their own.
    await().untilAsserted(() -> assertThat(guardians()).isEqualTo(before));
  }

  @Test
  void aProgramThatDiesLaterIsReported() throws Exception {
    try (LocalCluster cluster = LocalCluster.start(options())) {
      long scheduler = cluster.pid(ControlPlaneProgram.SCHEDULER);
      ProcessHandle.of(scheduler).orElseThrow().destroyForcibly();
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() ->
              assertThat(said)
                  .singleElement()
                  .asString()
                  .startsWith("kube-scheduler ended unexpectedly with exit code 137"));
    }
    String line = said.getLast();
    assertThat(said).hasSize(1);
    assertThat(Path.of(line.substring(line.indexOf("its log is kept: ") + 17))).exists();
    assertThat(onlyFolder().resolve("state")).doesNotExist();
  }

  @Test
  void aTakenPortFailsOnlyAfterFurtherAttempts() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      // The last of two equal flags counts, so each attempt uses the taken port.
      LocalClusterOptions options =
          options().withApiServerFlags(List.of("--secure-port=" + taken.getLocalPort()));

      assertThatExceptionOfType(LocalClusterException.class)
          .isThrownBy(() -> LocalCluster.start(options))
          .withMessageContaining("kube-apiserver ended")
          .withMessageContaining("address already in use");
    }
    assertThat(said).hasSize(4).allMatch(line -> line.contains("starting again"));
    // Only the last attempt's logs are kept.
    assertThat(onlyFolder()).exists();
  }

  private LocalClusterOptions options() {
    return LocalClusterOptions.standard(said::add).withParent(folder);
  }

  private Path realBinariesBut(ControlPlaneProgram replaced, String script) throws Exception {
    Path real = ControlPlaneBinaries.ofThisProcess(Progress.lines(said::add)).find();
    Path binaries = Files.createDirectory(folder.resolve("binaries"));
    for (String name : ControlPlaneProgram.fileNames()) {
      if (!name.equals(replaced.fileName())) {
        Scripts.write(binaries.resolve(name), "exec '" + real.resolve(name) + "' \"$@\"");
      }
    }
    Scripts.write(binaries.resolve(replaced.fileName()), script);
    return binaries;
  }

  private Path onlyFolder() throws Exception {
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> clusters =
          all.filter(path -> path.getFileName().toString().startsWith("nodepool-dev-")).toList();
      assertThat(clusters).hasSize(1);
      return clusters.getFirst();
    }
  }

  private static List<Long> guardians() {
    return ProcessHandle.current()
        .children()
        .filter(ProcessHandle::isAlive)
        .filter(LocalClusterEndIT::isGuardian)
        .map(ProcessHandle::pid)
        .sorted()
        .toList();
  }

  private static boolean isGuardian(ProcessHandle child) {
    return child.info().commandLine().orElse("").contains("guardian.sh");
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }
}
