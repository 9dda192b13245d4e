package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalCluster;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The one container of a Deployment, run by this machine in place of a kubelet: the entry point of
 * the image, its user, the arguments and variables of the container, its limit of memory, nothing
 * to write on, and the token of its account.
 */
final class PodProcess implements AutoCloseable {
  private static final long LONGEST_END_SECONDS = 30;

  private static final String MOUNTS = "/etc/nodepool/";
  private static final String ADDRESS = "127.0.0.1";

  private final Process process;
  private final Container container;
  private final Path log;
  private final int metricsPort;
  private final int alertsPort;
  private final int metricsTlsPort;

  private PodProcess(
      Process process,
      Container container,
      Path log,
      int metricsPort,
      int alertsPort,
      int metricsTlsPort) {
    this.process = process;
    this.container = container;
    this.log = log;
    this.metricsPort = metricsPort;
    this.alertsPort = alertsPort;
    this.metricsTlsPort = metricsTlsPort;
  }

  /** Starts the container of a Deployment of the chart. */
  static PodProcess start(
      LocalCluster cluster, KubernetesClient admin, String deployment, Path folder, PodImage image)
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
    return start(cluster, admin, pod, Files.createDirectories(folder.resolve(deployment)), image);
  }

  /**
   * Starts the container of a Pod.
   *
   * @param own a folder for what it alone needs
   */
  static PodProcess start(
      LocalCluster cluster, KubernetesClient admin, PodSpec pod, Path own, PodImage image)
      throws IOException {
    Container container = pod.getContainers().getFirst();
    Path log = own.resolve("log");
    Path token = Files.writeString(own.resolve("token"), token(admin, pod.getServiceAccountName()));
    Path authority = Files.writeString(own.resolve("ca.crt"), cluster.caPem());
    mount(admin, pod, own);
    int metricsPort = freePort();
    int alertsPort = freePort();
    int metricsTlsPort = freePort();
    List<String> command = new ArrayList<>(image.user());
    command.addAll(
        container.getCommand().isEmpty()
            ? image.entryPoint()
            : container.getCommand().stream().map(image::onThisMachine).toList());
    container.getArgs().stream()
        .map(argument ->
            onThisMachine(argument, metricsPort, alertsPort, metricsTlsPort)
                .replace(MOUNTS, own + "/"))
        .forEach(command::add);
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(image.root().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    Map<String, String> environment = builder.environment();
    environment.clear();
    // As the base image has them.
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    container
        .getEnv()
        .forEach(each -> environment.put(each.getName(), Objects.toString(each.getValue(), "")));
    environment.merge(
        "JDK_JAVA_OPTIONS",
        // The limit of a container, and a root file system on which nothing can be written.
        "-XX:MaxRAM=%d -Djava.io.tmpdir=/proc".formatted(memory(container)),
        (given, more) -> given + " " + more);
    URI server = URI.create(cluster.url());
    environment.put("KUBERNETES_SERVICE_HOST", server.getHost());
    environment.put("KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()));
    // A kubelet mounts these two where the client looks for them.
    environment.put("KUBERNETES_AUTH_TRYKUBECONFIG", "false");
    environment.put("KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN", token.toString());
    environment.put("KUBERNETES_CERTS_CA_FILE", authority.toString());
    return new PodProcess(builder.start(), container, log, metricsPort, alertsPort, metricsTlsPort);
  }

  private static long memory(Container container) {
    return Quantity.getAmountInBytes(container.getResources().getLimits().get("memory"))
        .longValueExact();
  }

  /** Whether the endpoint of the probe of this name answers as a kubelet wants it. */
  boolean passes(Function<Container, Probe> probe) {
    HTTPGetAction get = probe.apply(container).getHttpGet();
    URI uri = URI.create("http://%s:%d%s".formatted(ADDRESS, metricsPort, get.getPath()));
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(5)).build();
      int code = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return code >= 200 && code < 400;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** How long a kubelet lets it start. */
  Duration longestStart() {
    Probe probe = container.getStartupProbe();
    return Duration.ofSeconds((long) probe.getPeriodSeconds() * probe.getFailureThreshold());
  }

  /** Fails if it has used more memory than its container may, which would have ended it. */
  void assertWithinItsMemory() throws IOException {
    PodImage.stated(process.toHandle(), "VmHWM")
        .ifPresent(most -> assertThat(most * 1024).isLessThan(memory(container)));
  }

  /** The code with which it ends by itself. */
  int exitCode() throws InterruptedException {
    assertThat(process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS)).as(this::log).isTrue();
    return process.exitValue();
  }

  /** Fails if it runs as another user than that of the image. */
  void assertUser(PodImage image) throws IOException {
    if (image.hasUser()) {
      assertThat(PodImage.stated(process.toHandle(), "Uid")).contains(65532L);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Writes the Secrets of a Pod's volumes below a folder. */
  private static void mount(KubernetesClient admin, PodSpec pod, Path folder) throws IOException {
    for (Volume volume : pod.getVolumes()) {
      if (volume.getSecret() == null) {
        // The token, which the API server adds.
        continue;
      }
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
  private static String onThisMachine(
      String argument, int metricsPort, int alertsPort, int metricsTlsPort) {
    return argument
        .replace("$(POD_IP)", ADDRESS)
        .replaceFirst("^--metrics-port=.*", "--metrics-port=" + metricsPort)
        .replaceFirst("^--metrics-tls-port=.*", "--metrics-tls-port=" + metricsTlsPort)
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

  /** The port on which it serves metrics to those who may read them. */
  int metricsTlsPort() {
    return metricsTlsPort;
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
