package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code deploy/kind/up.sh} with programs that write down how they are called. */
class KindScriptTest {
  /** As the real ones change a kubeconfig: kind when it makes a cluster, kubectl when asked to. */
  private static final String PROGRAM =
      """
      #!/usr/bin/env bash
      file=${KUBECONFIG:-$HOME/.kube/config}
      for ((i = 1; i < $#; i++)); do
        [[ ${!i} != --kubeconfig ]] || { ((i++)); file=${!i}; }
      done
      echo "$(basename "$0") $* | $file" >>"$CALLS"
      case "$(basename "$0") $1 $2" in
        "kind create cluster" | "kind export kubeconfig" | "kubectl config use-context")
          echo "current-context: kind-nodepool" >>"$file" ;;
      esac
      """;

  private static final String USERS = "current-context: production\n";

  private final Path project;
  private final Path home;

  KindScriptTest(@TempDir Path folder) {
    project = folder.resolve("project");
    home = folder.resolve("home");
  }

  @BeforeEach
  void prepare() throws IOException {
    Files.createDirectories(project.resolve("deploy/kind"));
    Files.copy(Path.of("deploy/kind/up.sh"), project.resolve("deploy/kind/up.sh"));
    Files.createDirectories(home.resolve(".kube"));
    Files.writeString(home.resolve(".kube/config"), USERS);
    Path bin = Files.createDirectories(home.resolve("bin"));
    for (String each : List.of("docker", "kind", "kubectl", "helm")) {
      Path program = Files.writeString(bin.resolve(each), PROGRAM);
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  @Test
  void itLeavesTheKubeconfigOfItsUserAlone() throws Exception {
    List<String> calls = up();

    assertThat(home.resolve(".kube/config")).hasContent(USERS);
    assertThat(calls)
        .filteredOn(call -> call.startsWith("kubectl ") || call.startsWith("helm "))
        .isNotEmpty()
        .allMatch(call -> call.endsWith(" | " + project.resolve("target/kind.kubeconfig")));
    assertThat(project.resolve("target/kind.kubeconfig")).content().contains("kind-nodepool");
  }

  @Test
  void theImageIsOneThatKindCanLoad() throws Exception {
    assertThat(up())
        .filteredOn(call -> call.startsWith("docker build "))
        .singleElement()
        .asString()
        .contains(" --provenance=false ", " --tag nodepool-operator:kind ");
  }

  private List<String> up() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder("bash", "deploy/kind/up.sh")
            .directory(project.toFile())
            .redirectErrorStream(true);
    builder.environment().remove("KUBECONFIG");
    builder.environment().put("HOME", home.toString());
    builder.environment().put("CALLS", home.resolve("calls").toString());
    builder.environment().merge("PATH", home.resolve("bin") + ":", (path, bin) -> bin + path);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return Files.readAllLines(home.resolve("calls"));
  }
}
