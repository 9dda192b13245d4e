package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.command.ExitCodes;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void anUnreachableApiServerIsReportedInOneLine() throws Exception {
    Path kubeconfig =
        write(
            """
            apiVersion: v1
            kind: Config
            clusters:
            - name: c
              cluster:
                server: http://127.0.0.1:1
            users:
            - name: c
              user:
                token: t
            contexts:
            - name: c
              context:
                cluster: c
                user: c
            current-context: c
            """);

    assertThat(run("dev", "--kubeconfig", kubeconfig.toString())).isEqualTo(ExitCodes.FAILED);
    assertThat(err.toString().lines())
        .singleElement()
        .asString()
        .startsWith("nodepool: the API server cannot be reached:");
  }

  @Test
  void theCrdsArePrintedAsTheyAreCommitted() throws Exception {
    assertThat(run("crds")).isZero();
    assertThat(err.toString()).isEmpty();
    try (var files = Files.list(Path.of("crds"))) {
      for (Path file : files.toList()) {
        assertThat(out.toString()).contains(Files.readString(file));
      }
    }
  }

  private Path write(String text) throws Exception {
    return Files.writeString(folder.resolve("file.yaml"), text);
  }

  private int run(String... args) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
  }
}
