package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeConditionBuilder;
import io.fabric8.kubernetes.api.model.NodeSystemInfoBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kubelets of machines that do not exist: each follows the power that the emulator of its BMC
 * says, and reports in the Node that the fleet created. They share nothing with the fleet.
 */
final class EmulatedKubelets implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmulatedKubelets.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** How long an operating system takes to start. */
  private static final Duration BOOT = Duration.ofSeconds(3);

  /** A machine that is on. */
  private record Running(String bootId, Instant since) {}

  private final KubernetesClient client;
  private final URI emulator;
  private final Map<String, String> systems;
  private final Map<String, Running> running = new ConcurrentHashMap<>();
  private final HttpServer notices;
  private final HttpClient http = HttpClient.newHttpClient();
  private final ScheduledExecutorService thread = Executors.newScheduledThreadPool(1);

  /**
   * @param systems the UUID of each system, by name
   */
  EmulatedKubelets(KubernetesClient client, URI emulator, Map<String, String> systems, int port)
      throws IOException {
    this.client = client;
    this.emulator = emulator;
    this.systems = new TreeMap<>(systems);
    this.notices =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    notices.createContext(
        "/",
        exchange -> {
          JsonNode system = JSON.readTree(exchange.getRequestBody());
          power(system.path("name").asText(), system.path("power_state").asText());
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    notices.start();
    var _ = thread.scheduleWithFixedDelay(this::look, 3, 5, TimeUnit.SECONDS);
    var _ = thread.scheduleWithFixedDelay(this::report, 1, 1, TimeUnit.SECONDS);
  }

  private void power(String name, String state) {
    if (state.equals("On")) {
      running.computeIfAbsent(name, _ -> new Running(UUID.randomUUID().toString(), Instant.now()));
    } else {
      running.remove(name);
    }
  }

  /** The emulator changes the power of a system when somebody looks at it. */
  private void look() {
    try {
      for (Map.Entry<String, String> system : systems.entrySet()) {
        JsonNode seen =
            JSON.readTree(
                http.send(
                        HttpRequest.newBuilder(
                                emulator.resolve("/redfish/v1/Systems/" + system.getValue()))
                            .timeout(Duration.ofSeconds(5))
                            .build(),
                        HttpResponse.BodyHandlers.ofString())
                    .body());
        power(system.getKey(), seen.path("PowerState").asText("Off"));
      }
    } catch (IOException e) {
      log.debug("the emulator does not answer: {}", e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void report() {
    try {
      for (Node node : client.nodes().list().getItems()) {
        report(node);
      }
    } catch (KubernetesClientException e) {
      log.info("the kubelets try again: {}", e.getMessage());
    }
  }

  private void report(Node node) {
    String name = node.getMetadata().getName();
    Running machine = running.get(name);
    boolean up = machine != null && Instant.now().isAfter(machine.since().plus(BOOT));
    boolean ready =
        node.getStatus() != null
            && node.getStatus().getConditions().stream()
                .anyMatch(
                    each -> each.getType().equals("Ready") && each.getStatus().equals("True"));
    String shown =
        node.getStatus() == null || node.getStatus().getNodeInfo() == null
            ? ""
            : node.getStatus().getNodeInfo().getBootID();
    if (machine != null && up && (!ready || !machine.bootId().equals(shown))) {
      write(node, "True", machine.bootId());
    } else if (!up && ready) {
      write(node, "Unknown", shown);
    }
  }

  private void write(Node node, String ready, String bootId) {
    String name = node.getMetadata().getName();
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    client
        .nodes()
        .withName(name)
        .editStatus(seen -> {
          List<NodeCondition> conditions = new ArrayList<>(seen.getStatus().getConditions());
          conditions.removeIf(each -> each.getType().equals("Ready"));
          conditions.add(
              new NodeConditionBuilder()
                  .withType("Ready")
                  .withStatus(ready)
                  .withReason(ready.equals("True") ? "KubeletReady" : "NodeStatusUnknown")
                  .withMessage("an emulated kubelet")
                  .withLastHeartbeatTime(now)
                  .withLastTransitionTime(now)
                  .build());
          seen.getStatus().setConditions(conditions);
          seen.getStatus()
              .setNodeInfo(
                  new NodeSystemInfoBuilder()
                      .withArchitecture("amd64")
                      .withBootID(bootId)
                      .withContainerRuntimeVersion("containerd://2.1.4")
                      .withKernelVersion("6.8.0-71")
                      .withKubeProxyVersion("")
                      .withKubeletVersion("v1.34.4")
                      .withMachineID(systems.getOrDefault(name, "").replace("-", ""))
                      .withOperatingSystem("linux")
                      .withOsImage("emulated")
                      .withSystemUUID(systems.getOrDefault(name, ""))
                      .build());
          return seen;
        });
  }

  @Override
  public void close() {
    thread.shutdownNow();
    notices.stop(0);
    http.close();
  }
}
