package io.nodepool.ironic.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.ApiSerialization;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.thread.Timers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the loop does with answers: the second table of docs/ironic.md. One server plays both. */
class IronicLoopTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String CONFIGURATION = "live-1_6.8.0-71_none_v1.34.4";

  private final Map<String, Instant> timers = new TreeMap<>();

  /** What Ironic was asked to change. */
  private final List<String> asked = new ArrayList<>();

  private ObjectNode host = object("{}");
  private ObjectNode node = object("{}");

  /** What Ironic answers to each change. */
  private int code = 202;

  private String history = "";
  private volatile Instant now = Instant.parse("2026-11-01T00:00:00Z");
  private HttpServer server;
  private KubernetesClient client;
  private IronicClient ironic;
  private IronicLoop loop;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    String address = "http://127.0.0.1:" + server.getAddress().getPort();
    client =
        Clients.forRequests(
            new ConfigBuilder(io.fabric8.kubernetes.client.Config.empty())
                .withMasterUrl(address)
                .build(),
            new RequestMeter(new SimpleMeterRegistry()));
    ironic = new IronicClient(URI.create(address), IronicAuth.none(), Optional.empty());
    ApiRequests api = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
    loop =
        new IronicLoop(
            ironic,
            new IronicRequests(api),
            new JoinDrive(api, "nodepool-system", "nodepool-join", address, ""),
            new HostNode(
                OfferDocument.read(
                    """
                    {"zone": "z", "instanceTypes": ["turin-gp"], "releases": [{"name": "r", "gpuDrivers": [],
                      "kubernetesVersion": "v1.34.4", "images": [{"name": "live-1", "train": "stable",
                      "kernels": ["6.8.0-71"], "image": "http://images/live-1.iso"}]}]}
                    """),
                InstanceCatalogue.bundled()),
            new IronicLoop.Sender() {
              @Override
              public <T> void send(
                  String name, Supplier<Answer<T>> request, Consumer<Answer<T>> answer) {
                answer.accept(request.get());
              }
            },
            new Timers<>() {
              @Override
              public void at(String key, Instant time) {
                timers.put(key, time);
              }

              @Override
              public void cancel(String key) {
                timers.remove(key);
              }
            },
            () -> now);
  }

  @AfterEach
  void stop() {
    server.stop(0);
    client.close();
    ironic.close();
  }

  private static ObjectNode object(String json) {
    try {
      return (ObjectNode) JSON.readTree(json);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String method = exchange.getRequestMethod();
    JsonNode body = JSON.readTree(exchange.getRequestBody());
    if (path.endsWith("/history")) {
      reply(exchange, 200, history);
    } else if (path.startsWith("/v1/") && method.equals("GET")) {
      reply(exchange, 200, node.toString());
    } else if (path.startsWith("/v1/")) {
      asked.add(body.isArray() ? "claim" : body.path("target").asText());
      now = now.plusMillis(10);
      reply(exchange, code, "{}");
    } else {
      for (JsonNode operation : body.isArray() ? body : JSON.createArrayNode()) {
        if (operation.path("path").asText().equals("/status")) {
          host.set("status", operation.path("value"));
          ObjectNode metadata = (ObjectNode) host.path("metadata");
          metadata.put(
              "resourceVersion", Integer.toString(metadata.path("resourceVersion").asInt() + 1));
        }
      }
      reply(exchange, 200, host.toString());
    }
  }

  private static void reply(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** A Host in this phase, assigned or not, and an available node that is not claimed. */
  private void given(String phase, boolean assigned) {
    host =
        object(
            """
            {"apiVersion": "fleet.nodepool.io/v1alpha1", "kind": "Host",
             "metadata": {"name": "metal-01", "uid": "5f0c7c1e-4d1b-4a86-8c55-0d7b3f8f1f0a", "resourceVersion": "1"},
             "spec": {"tenancy": 1, "power": "On", "machine": {"instanceType": "turin-gp", "zone": "z"}},
             "status": {"phase": "%s", "tenancy": 1, "since": "2026-11-01T00:00:00Z"}}
            """
                .formatted(phase));
    if (assigned) {
      ((ObjectNode) host.path("spec")).put("configuration", CONFIGURATION);
      ((ObjectNode) host.path("spec"))
          .set(
              "assignment",
              object(
                  """
                  {"pool": "p", "poolUid": "u", "computeClass": "default", "operation": "op", "assignedAt": "2026-11-01T00:00:00Z"}
                  """));
    }
    node =
        object(
            """
            {"uuid": "n-1", "name": "metal-01", "resource_class": "turin-gp", "provision_state": "available",
             "power_state": "power off", "conductor": "here", "extra": {}}
            """);
    loop.listed();
    loop.hostSeen(ApiSerialization.shared().unmarshal(host.toString(), HostResource.class));
  }

  /** The nodes are listed. */
  private void list() {
    loop.nodesSeen(new Answer.Done<>(List.of(IronicClient.node(node, now))), now);
  }

  private void pass(Duration time) {
    now = now.plus(time);
    loop.reconcile("metal-01");
  }

  @ParameterizedTest
  @CsvSource({"400", "403", "406", "409", "401", "503"})
  void aRefusedRequestIsDecidedAgainAfterOneSecondThenTwo(int refusal) {
    given("Booting", true);
    code = refusal;
    list();
    assertThat(asked).containsExactly("claim");
    assertThat(timers.get("metal-01")).isEqualTo(now.plusSeconds(1));

    pass(Duration.ofSeconds(1));
    assertThat(asked).as("its node was not read since").hasSize(1);
    list();
    assertThat(asked).hasSize(2);
    assertThat(timers.get("metal-01")).isEqualTo(now.plusSeconds(2));
  }

  @Test
  void aRequestWithoutAnAnswerIsReadAfterFortySeconds() {
    given("Booting", true);
    code = 500;
    list();
    assertThat(asked).hasSize(1);
    assertThat(timers.get("metal-01")).isEqualTo(now.plusSeconds(40));
    now = now.plusSeconds(39);
    list();
    assertThat(asked).hasSize(1);
    now = now.plusSeconds(1);
    list();
    assertThat(asked).hasSize(2);
  }

  @Test
  void nothingIsAskedForWhileTheNodesCannotBeListed() {
    given("Free", true);
    loop.nodesSeen(new Answer.Unavailable<>("no connection"), now);
    assertThat(loop.isReachable()).isFalse();
    assertThat(asked).isEmpty();
    assertThat(host.path("status").path("phase").asText()).isEqualTo("Free");
  }

  @Test
  void whatFailedWithoutAReasonSaysWhatItsHistoryDoes() {
    given("Booting", true);
    node.put("provision_state", "deploy failed");
    node.putNull("last_error");
    history = "{\"history\": [{\"severity\": \"ERROR\", \"event\": \"no image\"}]}";
    list();
    assertThat(host.path("status").path("phase").asText()).isEqualTo("Failed");
    assertThat(host.path("status").path("message").asText())
        .isEqualTo("Ironic: deploy failed; no image.");
  }

  @Test
  void nodesAreListedMoreOftenWhileSomethingIsUnderWay() {
    given("Free", false);
    list();
    assertThat(loop.nextList()).isEqualTo(IronicLoop.REST);
    node.put("reservation", "here");
    list();
    assertThat(loop.nextList()).isEqualTo(IronicLoop.BUSY);
  }
}
