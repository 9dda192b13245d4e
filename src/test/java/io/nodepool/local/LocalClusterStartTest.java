package io.nodepool.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.local.programs.LocalClusterException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failing starts, with scripts instead of the programs. */
@Tag("slow")
class LocalClusterStartTest {

  private static final String RUNS_ON = "exec tail -f /dev/null";

  private final List<String> said = new ArrayList<>();

  @TempDir private Path folder;

  @BeforeEach
  void writeProgramsThatDoNothing() throws Exception {
    Files.createDirectory(parent());
    Files.createDirectory(binaries());
    for (String name : ControlPlaneProgram.fileNames()) {
      Scripts.write(binaries().resolve(name), RUNS_ON);
    }
  }

  @Test
  void aProgramThatIsNotReadyInTimeIsNamedWithItsLogAndNothingRunsOn() throws Exception {
    Path pids = folder.resolve("pids");
    Scripts.write(binaries().resolve("etcd"), "echo $$ >>'" + pids + "'\n" + RUNS_ON);
    Scripts.write(
        binaries().resolve("kube-apiserver"),
        "echo waiting for a store; echo $$ >>'" + pids + "'\n" + RUNS_ON);

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> LocalCluster.start(options().withLimit(Duration.ofSeconds(1))))
        .withMessageStartingWith("kube-apiserver was not ready after 1 s.")
        .withMessageContaining("waiting for a store")
        .withMessageContaining(onlyCluster().resolve("logs/kube-apiserver.log").toString());
    assertThat(onlyCluster().resolve("state")).doesNotExist();
    assertThat(Files.readAllLines(pids))
        .hasSize(2)
        .noneMatch(pid -> ProcessHandle.of(Long.parseLong(pid)).isPresent());
  }

  @Test
  void afterATakenPortOthersAreTriedAndOnlyTheLastLogsAreKept() throws Exception {
    Scripts.write(
        binaries().resolve("kube-apiserver"),
        "echo \"$2\" >>'"
            + folder.resolve("ports")
            + "'\necho 'bind: address already in use'; exit 1");

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> LocalCluster.start(options()))
        .withMessageContaining("kube-apiserver ended with exit code 1")
        .withMessageContaining(onlyCluster().toString());
    assertThat(said).hasSize(4).allMatch(line -> line.endsWith("starting again."));
    assertThat(Files.readAllLines(folder.resolve("ports")))
        .hasSize(5)
        .allMatch(flag -> flag.startsWith("--secure-port="))
        .doesNotHaveDuplicates();
  }

  @Test
  void aMissingProgramIsFoundBeforeAnythingStarts() throws Exception {
    Files.delete(binaries().resolve("kube-scheduler"));

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> LocalCluster.start(options()))
        .withMessageContaining("lacks kube-scheduler:");
    assertThat(parent()).isEmptyDirectory();
  }

  @Test
  void aMissingParentFolderIsNamed() {
    Path nowhere = folder.resolve("nowhere");

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> LocalCluster.start(options().withParent(nowhere)))
        .withMessageContaining(nowhere.toString());
  }

  @Test
  void aGuardianSurvivesSignalsThatAreNotMeantForItsProgram() throws Exception {
    ClusterFolder cluster = ClusterFolder.create(parent(), false);
    ChildProcess child = startEtcd(cluster);
    ProcessHandle guardian = ProcessHandle.of(child.pid()).orElseThrow().parent().orElseThrow();
    for (String signal : List.of("INT", "HUP", "QUIT", "TERM", "TERM")) {
      new ProcessBuilder("kill", "-" + signal, Long.toString(guardian.pid())).start().waitFor();
    }
    await()
        .during(Duration.ofMillis(300))
        .atMost(Duration.ofSeconds(5))
        .until(() -> child.isAlive() && ProcessHandle.of(child.pid()).isPresent());

    child.stop();
    child.awaitEnd();
    assertThat(child.isAlive()).isFalse();
    assertThat(ProcessHandle.of(child.pid())).isEmpty();
    // After an orderly stop the caller removes the folder.
    assertThat(cluster.root()).exists();
  }

  @Test
  void aChildOfAKilledGuardianIsEndedToo() throws Exception {
    ChildProcess child = startEtcd(ClusterFolder.create(parent(), false));
    ProcessHandle program = ProcessHandle.of(child.pid()).orElseThrow();
    program.parent().orElseThrow().destroyForcibly();

    child.stop();
    child.awaitEnd();
    await().atMost(Duration.ofSeconds(5)).until(() -> !program.isAlive());
  }

  private Path binaries() {
    return folder.resolve("binaries");
  }

  private Path parent() {
    return folder.resolve("clusters");
  }

  private ChildProcess startEtcd(ClusterFolder cluster) throws Exception {
    return ChildProcess.start(
        ControlPlaneProgram.ETCD, List.of(binaries().resolve("etcd").toString()), cluster);
  }

  private LocalClusterOptions options() {
    return LocalClusterOptions.standard(said::add)
        .withBinaries(InstalledControlPlane.in(binaries()))
        .withParent(parent());
  }

  private Path onlyCluster() throws Exception {
    try (Stream<Path> clusters = Files.list(parent())) {
      List<Path> all = clusters.toList();
      assertThat(all).hasSize(1);
      return all.getFirst();
    }
  }
}
