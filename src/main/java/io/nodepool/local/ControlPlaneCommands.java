package io.nodepool.local;

import io.nodepool.local.programs.ControlPlaneProgram;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command lines of the programs.
 *
 * @param binaries the directory of the four programs
 * @param options the additional flags and the controllers that do not run
 */
record ControlPlaneCommands(
    Path binaries, ClusterFolder folder, Ports ports, LocalClusterOptions options) {

  /**
   * Sockets in the working directory, which all four share; etcd requires the form of a host and a
   * port.
   */
  private static final String STORE = "unix://localhost:1";

  private static final String STORE_PEERS = "unix://localhost:2";

  /** The limits of requests in flight, for tests that create thousands of Nodes at once. */
  private static final int READS_IN_FLIGHT = 3000;

  private static final int WRITES_IN_FLIGHT = 1500;

  /** The command line of one program, the program's path first. */
  List<String> of(ControlPlaneProgram program) {
    List<String> command = new ArrayList<>();
    command.add(binaries.resolve(program.fileName()).toString());
    command.addAll(
        switch (program) {
          case ETCD -> store();
          case API_SERVER -> apiServer();
          case CONTROLLER_MANAGER -> controllerManager();
          case SCHEDULER -> client(ControlPlaneProgram.SCHEDULER, ports.scheduler());
        });
    return command;
  }

  private List<String> store() {
    return List.of(
        "--name=nodepool-dev",
        "--data-dir=" + folder.state().resolve("store"),
        "--listen-client-urls=" + STORE,
        "--advertise-client-urls=" + STORE,
        "--listen-peer-urls=" + STORE_PEERS,
        "--initial-advertise-peer-urls=" + STORE_PEERS,
        "--initial-cluster=nodepool-dev=" + STORE_PEERS,
        // The data does not outlive the cluster, so waiting for the disk has no benefit.
        "--unsafe-no-fsync",
        // 50,000 Nodes write more than the default of 2 GiB between two compactions.
        "--quota-backend-bytes=8589934592");
  }

  private List<String> apiServer() {
    List<String> flags =
        new ArrayList<>(
            List.of(
                "--bind-address=127.0.0.1",
                "--secure-port=" + ports.apiServer(),
                "--cert-dir=" + folder.certificates(ControlPlaneProgram.API_SERVER),
                "--etcd-servers=" + STORE,
                "--token-auth-file=" + Credentials.tokens(folder),
                "--authorization-mode=Node,RBAC",
                "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
                "--service-account-signing-key-file=" + Credentials.signingKey(folder),
                "--service-account-key-file=" + Credentials.verifyingKey(folder),
                "--service-cluster-ip-range=10.0.0.0/24",
                // Without these two, the server requires a network interface, which an offline
                // laptop lacks.
                "--advertise-address=127.0.0.1",
                "--endpoint-reconciler-type=none",
                "--allow-privileged=true",
                "--feature-gates=MutatingAdmissionPolicy=true",
                "--runtime-config=admissionregistration.k8s.io/v1beta1=true",
                "--max-requests-inflight=" + READS_IN_FLIGHT,
                "--max-mutating-requests-inflight=" + WRITES_IN_FLIGHT,
                "--profiling=false"));
    flags.addAll(options.apiServerFlags());
    return flags;
  }

  private List<String> controllerManager() {
    List<String> flags =
        new ArrayList<>(client(ControlPlaneProgram.CONTROLLER_MANAGER, ports.controllerManager()));
    flags.addAll(
        List.of(
            "--controllers=" + controllers(),
            // Simulated Nodes renew no Leases; the data centre itself reports a silent Node as
            // NotReady.
            "--node-monitor-grace-period=1h",
            // Each controller uses its own account, as in other clusters, for RBAC and admission
            // policies.
            "--use-service-account-credentials=true",
            "--service-account-private-key-file=" + Credentials.signingKey(folder),
            "--root-ca-file=" + folder.certificate(ControlPlaneProgram.API_SERVER)));
    return flags;
  }

  /** The TTL controller would write to every Node, for kubelets that do not exist. */
  private String controllers() {
    return Stream.concat(Stream.of("ttl-controller"), options.disabledControllers().stream())
        .map(name -> "-" + name)
        .collect(Collectors.joining(",", "*,", ""));
  }

  /** The common flags of the two programs that are clients of the API server. */
  private List<String> client(ControlPlaneProgram program, int port) {
    Path kubeconfig = folder.kubeconfig(program);
    return List.of(
        "--kubeconfig=" + kubeconfig,
        "--authentication-kubeconfig=" + kubeconfig,
        "--authorization-kubeconfig=" + kubeconfig,
        "--authentication-skip-lookup=true",
        "--bind-address=127.0.0.1",
        "--secure-port=" + port,
        "--cert-dir=" + folder.certificates(program),
        "--leader-elect=false",
        "--kube-api-qps=500",
        "--kube-api-burst=1000",
        "--profiling=false");
  }
}
