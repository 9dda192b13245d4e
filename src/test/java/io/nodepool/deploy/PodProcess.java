package io.nodepool.deploy;

import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.cli.Main;
import io.nodepool.local.LocalCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The one container of a Deployment, run by this machine in place of a kubelet: with the same
 * arguments, and the token of the same account where a Pod would find it.
 */
final class PodProcess implements AutoCloseable {
  private static final long LONGEST_END_SECONDS = 30;

  private static final String MOUNTS = "/etc/nodepool/";

  private final Process process;
  private final Path log;
  private final int alertsPort;

  private PodProcess(Process process, Path log, int alertsPort) {
    this.process = process;
    this.log = log;
    this.alertsPort = alertsPort;
  }

  /** Starts the container of a Deployment of the chart. */
  static PodProcess start(
      LocalCluster cluster, KubernetesClient admin, String deployment, Path folder)
      throws IOException {
    PodSpec pod =
        admin
            .apps()
            .deployments()
            .inNamespace(Chart.NAMESPACE)
            .withName(deployment)
            .require()
            .getSpec()
            .getTemplate()
            .getSpec();
    Path own = Files.createDirectories(folder.resolve(deployment));
    Path log = own.resolve("log");
    Path token = Files.writeString(own.resolve("token"), token(admin, pod.getServiceAccountName()));
    Path authority = Files.writeString(own.resolve("ca.crt"), cluster.caPem());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dkubernetes.auth.tryKubeConfig=false",
                "-Dkubernetes.auth.serviceAccount.token=" + token,
                "-Dkubernetes.certs.ca.file=" + authority,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    mount(admin, pod, own);
    int alertsPort = freePort();
    pod.getContainers().getFirst().getArgs().stream()
        .map(argument -> onThisMachine(argument, alertsPort).replace(MOUNTS, own + "/"))
        .forEach(command::add);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    URI server = URI.create(cluster.url());
    builder.environment().put("KUBERNETES_SERVICE_HOST", server.getHost());
    builder.environment().put("KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()));
    return new PodProcess(builder.start(), log, alertsPort);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Writes the Secrets of a Pod's volumes below a folder. */
  private static void mount(KubernetesClient admin, PodSpec pod, Path folder) throws IOException {
    for (Volume volume : pod.getVolumes()) {
      Path target = Files.createDirectories(folder.resolve(volume.getName()));
      Map<String, String> data =
          admin
              .secrets()
              .inNamespace(Chart.NAMESPACE)
              .withName(volume.getSecret().getSecretName())
              .require()
              .getData();
      for (Map.Entry<String, String> each : data.entrySet()) {
        Files.write(target.resolve(each.getKey()), Base64.getDecoder().decode(each.getValue()));
      }
    }
  }

  /** A Pod has an address of its own; here the ports of others have to be kept clear of. */
  private static String onThisMachine(String argument, int alertsPort) {
    return argument
        .replaceFirst("^(--\\w+-address)=.*", "$1=127.0.0.1")
        .replaceFirst("^--metrics-port=.*", "--metrics-port=0")
        .replaceFirst("^--alerts-port=.*", "--alerts-port=" + alertsPort);
  }

  private static String token(KubernetesClient admin, String account) {
    return admin
        .serviceAccounts()
        .inNamespace(Chart.NAMESPACE)
        .withName(account)
        .tokenRequest(
            new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build())
        .getStatus()
        .getToken();
  }

  /** What it has said so far. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "its log cannot be read: " + e;
    }
  }

  /** The port on which it receives alerts. */
  int alertsPort() {
    return alertsPort;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Ends it as a kubelet does. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("it did not end within the Pod's grace period:\n" + log());
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
