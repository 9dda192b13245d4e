package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.Main;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.local.LocalClusterExtension;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as users call it, with its own clusters. */
@Tag("local-cluster")
class DevCommandIT {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofSeconds(20);

  /** A definition and an object of it, in a List. */
  private static final String OWN_KIND =
      """
      apiVersion: v1
      kind: List
      items:
        - apiVersion: apiextensions.k8s.io/v1
          kind: CustomResourceDefinition
          metadata: {name: owns.example.com}
          spec:
            group: example.com
            names: {kind: Own, plural: owns}
            scope: Namespaced
            versions:
              - name: v1
                served: true
                storage: true
                schema: {openAPIV3Schema: {type: object}}
        - {apiVersion: example.com/v1, kind: Own, metadata: {name: one, namespace: default}}
      """;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void itEndsWhenAllPoolsAreAtTheirTargets() throws IOException {
    int code =
        run(
            "--speed=40",
            "--exit-at-target",
            "--timeout=120",
            "--write-kubeconfig=" + folder.resolve("kubeconfig"),
            "-f",
            "examples/gpu-pool.yaml",
            "-f",
            "examples/rack-pool.yaml",
            "-f",
            "examples/workload.yaml",
            "-f",
            Files.writeString(folder.resolve("own.yaml"), OWN_KIND).toString());

    assertThat(err.toString()).isEmpty();
    assertThat(code).isEqualTo(ExitCodes.DONE);
    assertThat(out.toString())
        .contains("  export KUBECONFIG=" + folder.resolve("kubeconfig"))
        .contains("100 machines of 14 instance types in US-EAST-04A, 40 times faster.")
        .doesNotContain("Warning");
    assertThat(out.toString().lines().toList().getLast())
        .matches("All 2 NodePools are at their targets, 26 Nodes in all, after [0-9]+ s\\.");
    assertThat(folder.resolve("kubeconfig")).doesNotExist();
  }

  @Test
  void itEndsWhenAPoolCannotReachItsTarget() throws IOException {
    int code = run("--exit-at-target", "-f", pool("gd-8xa100-i128", "targetNodes: 5"));

    assertThat(code).as(err.toString()).isEqualTo(ExitCodes.BLOCKED);
    assertThat(out.toString().lines().toList().getLast())
        .startsWith("NodePool asked cannot reach its target: Quota is False (Over):");
  }

  @Test
  void aPoolThatWaitsForCapacityEndsItAtTheTimeoutOnly() throws IOException {
    int code =
        run(
            "--speed=40",
            "--exit-at-target",
            "--timeout=20",
            "-f",
            pool("b200-8x", "targetNodes: 10"));

    assertThat(code).as(err.toString()).isEqualTo(ExitCodes.TIMED_OUT);
    assertThat(out.toString().lines().toList().getLast())
        .startsWith(
            "Not at target after 20 s: asked: target 10, queued 2, in progress 0, current 8");
  }

  @Test
  void aRejectionOfTheApiServerIsReportedWithItsMessage() throws IOException {
    int code = run("-f", pool("b200-8x", "targetNodes: 1\n  targetRacks: 1"));

    assertThat(code).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .contains("NodePool asked", "give exactly one of targetNodes and targetRacks");

    err.getBuffer().setLength(0);
    assertThat(run("-f", pool("b200-8x", "targetNode: 1"))).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString().lines()).singleElement().asString().contains("targetNode");
  }

  @Test
  void aKindThatTheClusterDoesNotHaveIsOneError() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("typo.yaml"),
            "{apiVersion: apps/v1, kind: Deploy, metadata: {name: a}}");

    assertThat(run("-f", file.toString())).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString())
        .isEqualTo(
            "nodepool: %s: Deploy a: the cluster has no kind Deploy of apps/v1.\n".formatted(file));
  }

  @Test
  void aSignalEndsTheScriptInOrder() throws Exception {
    Path kubeconfig = folder.resolve("kubeconfig");
    Path log = folder.resolve("log");
    Process process =
        new ProcessBuilder(
                Path.of("bin", "nodepool").toAbsolutePath().toString(),
                "dev",
                "--write-kubeconfig",
                kubeconfig.toString())
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> Files.readString(log).contains("Simulated data centre default"));
      List<ProcessHandle> children = new ArrayList<>(process.descendants().toList());
      assertThat(children).isNotEmpty();
      assertThat(kubeconfig).exists();

      process.destroy();

      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(128 + 15);
      assertThat(kubeconfig).doesNotExist();
      assertThat(children).noneMatch(ProcessHandle::isAlive);
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * The pause is longer than the time in which a leader must renew its Lease, and the time-out of
   * the request with which it tries to. The data centre and the operator then go on.
   */
  @Test
  void anApiServerThatPausesEndsNothing() throws Exception {
    Path kubeconfig = folder.resolve("kubeconfig");
    Path log = folder.resolve("log");
    Process dev =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "dev",
                "--speed=40",
                "--write-kubeconfig=" + kubeconfig,
                "-f",
                pool("turin-gp", "targetNodes: 1"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      Awaitility.await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(log).content().contains("NodePool asked is at its target"));
      try (KubernetesClient user = LocalClusterExtension.client(Files.readString(kubeconfig))) {
        ProcessHandle server = apiServer(dev);
        assertThat(signal("STOP", server)).isZero();
        try {
          Awaitility.await()
              .during(PAUSE)
              .atMost(SOON)
              .failFast(() -> assertThat(dev.isAlive()).as(Files.readString(log)).isTrue())
              .until(() -> true);
        } finally {
          var _ = signal("CONT", server);
        }
        user.resources(NodePool.class)
            .withName("asked")
            .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\": {\"targetNodes\": 2}}");
        Awaitility.await()
            .atMost(SOON)
            .untilAsserted(() ->
                assertThat(user.nodes().list().getItems()).as(Files.readString(log)).hasSize(2));
      }
      assertThat(dev.isAlive()).isTrue();
      assertThat(log).content().doesNotContain("The operator ended");
    } finally {
      dev.destroy();
      assertThat(dev.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(log)).isTrue();
    }
  }

  private static ProcessHandle apiServer(Process dev) {
    return dev.descendants()
        .filter(each ->
            each.info().command().filter(path -> path.endsWith("kube-apiserver")).isPresent())
        .findFirst()
        .orElseThrow();
  }

  /** Returns the exit code, which is not 0 if the process has ended. */
  private static int signal(String name, ProcessHandle process) throws Exception {
    return new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  private String pool(String type, String size) throws IOException {
    return Files.writeString(
            folder.resolve("pool.yaml"),
            """
            apiVersion: compute.coreweave.com/v1alpha1
            kind: NodePool
            metadata:
              name: asked
            spec:
              instanceType: %s
              %s
            """
                .formatted(type, size))
        .toString();
  }

  private int run(String... args) {
    List<String> all = new ArrayList<>(List.of("dev"));
    all.addAll(List.of(args));
    return Main.run(
        new PrintWriter(out, true), new PrintWriter(err, true), all.toArray(String[]::new));
  }
}
