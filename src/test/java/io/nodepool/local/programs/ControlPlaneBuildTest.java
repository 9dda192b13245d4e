package io.nodepool.local.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class ControlPlaneBuildTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final List<String> progress = new CopyOnWriteArrayList<>();

  @TempDir private Path folder;

  @Test
  void theFourProgramsAreAllThatIsLeft() throws Exception {
    assertThat(build(FakeGo.write(folder.resolve("go"), ""))).isEqualTo(target());

    assertThat(namesIn(target()))
        .containsExactlyInAnyOrderElementsOf(ControlPlaneProgram.fileNames());
    assertThat(namesIn(cache()))
        .containsExactlyInAnyOrder("build.lock", target().toFile().getName());
  }

  @Test
  void progressReportsPercentAndTime() throws Exception {
    build(FakeGo.write(folder.resolve("go"), ""));

    assertThat(progress)
        .hasSize(2 + 19)
        .startsWith(
            "Building the Kubernetes %s control plane with Go; this takes some minutes, once."
                .formatted(ControlPlaneModules.kubernetesVersion()),
            "5 % (2 of about 40 packages) after 40 s",
            "10 % (4 of about 40 packages) after 1 min 20 s")
        .contains("95 % (38 of about 40 packages) after 12 min 40 s");
    assertThat(progress.getLast()).isEqualTo("The control plane is built, after 13 min 20 s.");
  }

  @Test
  void goIsControlledByItsEnvironmentAndInheritsTheUsers() throws Exception {
    Path seen = folder.resolve("seen");
    Path go =
        FakeGo.write(folder.resolve("go"), "env >'%1$s'; echo \"$*\" >>'%1$s'".formatted(seen));
    Map<String, String> users =
        Map.of("PATH", System.getenv("PATH"), "GOPROXY", "kept", "GOFLAGS", "-mod=mod");
    cache(new ControlPlaneBuild(go, users, false, progress::add, InstantSource.system()));

    assertThat(Files.readAllLines(seen))
        .contains(
            "GOPROXY=kept",
            "CGO_ENABLED=0",
            "GOFLAGS=-mod=readonly -trimpath -buildvcs=false",
            "install -v -ldflags " + ControlPlaneModules.linkerFlags() + " tool")
        .doesNotContain("GOTOOLCHAIN=local")
        .anyMatch(line -> line.startsWith("GOCACHE=" + cache()));
  }

  @Test
  void offlineGoUsesOnlyTheModulesInItsCache() throws Exception {
    Path seen = folder.resolve("seen");
    Path go =
        FakeGo.write(
            folder.resolve("go"),
            "env >'%s'; echo 'module lookup disabled by GOPROXY=off' >&2; exit 1".formatted(seen));
    Map<String, String> users = Map.of("PATH", System.getenv("PATH"), "GOPROXY", "the user's");
    ControlPlaneBuild offline =
        new ControlPlaneBuild(go, users, true, progress::add, InstantSource.system());

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> cache(offline))
        .withMessageContaining("with --offline only the modules of earlier builds are available")
        .withMessageEndingWith("module lookup disabled by GOPROXY=off");
    assertThat(Files.readAllLines(seen)).contains("GOPROXY=off", "GOTOOLCHAIN=local");
  }

  @Test
  void aFailedBuildLeavesNothingAndReportsTheLastOutputOfGo() throws Exception {
    Path go =
        FakeGo.write(
            folder.resolve("go"),
            """
            touch "$GOBIN/server"
            i=0; while [ $i -lt 30 ]; do i=$((i + 1)); echo "noise number $i" >&2; done
            echo "example.com/package: no space left" >&2
            exit 1
            """);

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> build(go))
        .withMessageContaining("go install ended with exit code 1")
        .withMessageEndingWith("noise number 30\nexample.com/package: no space left")
        .withMessageContaining("noise number 20")
        .satisfies(failure -> assertThat(failure.getMessage()).doesNotContain("noise number 10\n"));
    assertThat(namesIn(cache())).containsExactly("build.lock");
  }

  @Test
  void anIncompleteResultIsNotInstalled() throws Exception {
    Path go = FakeGo.write(folder.resolve("go"), "touch \"$GOBIN/server\"; exit 0");

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> build(go))
        .withMessageContaining("lacks")
        .withMessageContaining("kube-apiserver");
    assertThat(namesIn(cache())).containsExactly("build.lock");
  }

  @Test
  void theFilesOfAKilledBuildAreRemovedByTheNext() throws Exception {
    Files.createDirectories(cache().resolve("build-123").resolve("compiled"));
    Files.createDirectories(cache().resolve("v1.2.3"));
    Files.createDirectories(target());

    build(FakeGo.write(folder.resolve("go"), ""));

    assertThat(namesIn(cache()))
        .containsExactlyInAnyOrder("build.lock", "v1.2.3", target().toFile().getName());
  }

  @Test
  void threadsOfOneProcessBuildOnce() throws Exception {
    Path count = folder.resolve("count");
    Path go = FakeGo.write(folder.resolve("go"), "echo built >>'" + count + "'");

    CompletableFuture<Path> first = CompletableFuture.supplyAsync(() -> build(go));
    CompletableFuture<Path> second = CompletableFuture.supplyAsync(() -> build(go));

    assertThat(first).succeedsWithin(LIMIT).isEqualTo(target());
    assertThat(second).succeedsWithin(LIMIT).isEqualTo(target());
    assertThat(count).hasContent("built");
  }

  @Test
  void aBuildInAnotherProcessIsWaitedFor() throws Exception {
    Path count = folder.resolve("count");
    Path gate = folder.resolve("gate");
    Path go =
        FakeGo.write(
            folder.resolve("go"),
            "echo built >>'%s'; while ! [ -e '%s' ]; do sleep 0.05; done".formatted(count, gate));
    Process other = BuildControlPlane.start(go, cache());
    try {
      await().atMost(LIMIT).until(() -> Files.exists(count));

      CompletableFuture<Path> mine = CompletableFuture.supplyAsync(() -> build(go));
      await()
          .atMost(LIMIT)
          .untilAsserted(() ->
              assertThat(progress)
                  .containsExactly("Waiting for another process that installs the control plane."));
      Files.createFile(gate);

      assertThat(mine).succeedsWithin(LIMIT).isEqualTo(target());
      assertThat(other.onExit()).succeedsWithin(LIMIT);
      assertThat(other.exitValue()).isZero();
      assertThat(count).hasContent("built");
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void anAbortedBuildRemovesItsFilesAndEndsGo() throws Exception {
    Path pid = folder.resolve("pid");
    Path go =
        FakeGo.write(
            folder.resolve("go"),
            "echo $$ >'%1$s.new'; mv '%1$s.new' '%1$s'; exec sleep 600".formatted(pid));
    Process builder = BuildControlPlane.start(go, cache());
    try {
      await().atMost(LIMIT).until(() -> Files.exists(pid));
      // Uses the handle, since the process object would close the pipe that is read below.
      assertThat(builder.toHandle().destroy()).isTrue();

      try (BufferedReader rest = builder.inputReader()) {
        assertThat(rest.lines()).noneMatch(line -> line.contains("is built"));
      }
      assertThat(builder.onExit()).succeedsWithin(LIMIT);
      assertThat(namesIn(cache())).containsExactly("build.lock");
      long goId = Long.parseLong(Files.readString(pid).strip());
      await()
          .atMost(LIMIT)
          .until(() -> ProcessHandle.of(goId).filter(ProcessHandle::isAlive).isEmpty());
    } finally {
      builder.destroyForcibly();
    }
  }

  private Path cache() {
    return folder.resolve("cache");
  }

  private Path target() {
    return cache().resolve(ControlPlaneModules.kubernetesVersion());
  }

  private Path cache(ControlPlaneBuild build) {
    return new ControlPlaneCache(cache(), progress::add).filled(build);
  }

  private Path build(Path go) {
    AtomicInteger asked = new AtomicInteger();
    InstantSource fortySecondsLaterEachTime =
        () -> Instant.EPOCH.plusSeconds(40L * asked.getAndIncrement());
    return cache(
        new ControlPlaneBuild(
            go, System.getenv(), false, progress::add, fortySecondsLaterEachTime));
  }

  private static List<String> namesIn(Path directory) throws Exception {
    try (var entries = Files.list(directory)) {
      return entries.map(entry -> entry.toFile().getName()).toList();
    }
  }
}
