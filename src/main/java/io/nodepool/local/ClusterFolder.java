package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.local.programs.Packaged;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The folder of a local cluster, readable by its owner only. It contains {@code state}, the working
 * directory of all four programs, and {@code logs}.
 *
 * @param root the folder itself
 * @param keepLogs whether the logs outlive the cluster
 */
record ClusterFolder(Path root, boolean keepLogs) {

  private static final String GUARDIAN = "guardian.sh";

  /** Creates a folder in the parent, with the guardian's script. */
  static ClusterFolder create(Path parent, boolean keepLogs) throws IOException {
    ClusterFolder folder =
        new ClusterFolder(
            Files.createTempDirectory(parent, "nodepool-dev-").toAbsolutePath(), keepLogs);
    Files.createDirectory(folder.state());
    Files.createDirectory(folder.logs());
    Files.writeString(folder.guardian(), Packaged.text("/io/nodepool/local/" + GUARDIAN));
    return folder;
  }

  /** Keys, tokens, sockets and the store's data. */
  Path state() {
    return root.resolve("state");
  }

  /** The folder with one log for each program. */
  Path logs() {
    return root.resolve("logs");
  }

  Path log(ControlPlaneProgram program) {
    return logs().resolve(program.fileName() + ".log");
  }

  /** The script that ends a program when this process dies. */
  Path guardian() {
    return state().resolve(GUARDIAN);
  }

  /** The directory of a program's own serving certificate. */
  Path certificates(ControlPlaneProgram program) {
    return state().resolve(program.fileName());
  }

  /**
   * The serving certificate that a program creates at its start, followed by that of its authority.
   */
  Path certificate(ControlPlaneProgram program) {
    // kube-apiserver alone names the file differently.
    String name = program == ControlPlaneProgram.API_SERVER ? "apiserver" : program.fileName();
    return certificates(program).resolve(name + ".crt");
  }

  Path kubeconfig(ControlPlaneProgram program) {
    return state().resolve(program.fileName() + ".kubeconfig");
  }

  /** The folder that is removed when the cluster ends or this process dies. */
  Path disposable() {
    return keepLogs ? state() : root;
  }

  /** The last lines of a program's log, or fewer if the log is shorter. */
  List<String> lastLines(ControlPlaneProgram program, int count) {
    try {
      List<String> lines =
          new String(Files.readAllBytes(log(program)), StandardCharsets.UTF_8).lines().toList();
      return lines.subList(Math.max(0, lines.size() - count), lines.size());
    } catch (IOException e) {
      return List.of("(no log: " + e + ")");
    }
  }
}
