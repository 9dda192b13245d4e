package io.nodepool.kubernetes.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the API server's refusals mean for a Host. */
@Tag("slow")
class HostRequestsTest {
  private static final String POLICY =
      "hosts g1 is forbidden: ValidatingAdmissionPolicy 'freeze' with binding 'freeze' denied request: no changes today";

  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Config config =
      new ConfigBuilder(Config.empty())
          .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
          .build();
  private final RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());

  /** The spec of the Host, as JSON. */
  private volatile String spec = "{\"tenancy\":3,\"machine\":{\"instanceType\":\"t\"}}";

  private volatile String phase = "Free";

  /** What discovery says of Hosts: the verbs that the server allows; null if it knows no Hosts. */
  private volatile @Nullable String verbs = "\"get\",\"list\",\"patch\",\"create\"";

  private volatile boolean exists = true;

  HostRequestsTest() throws IOException {}

  @BeforeEach
  void begin() {
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  @AfterEach
  void end() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("PATCH")) {
      answer(
          exchange,
          422,
          "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"Invalid\",\"code\":422,\"message\":\"%s\"}"
              .formatted(POLICY));
    } else if (exchange.getRequestURI().getPath().equals("/apis/fleet.nodepool.io/v1alpha1")) {
      discover(exchange);
    } else if (exists) {
      answer(exchange, 200, host());
    } else {
      answer(exchange, 404, "404 page not found");
    }
  }

  private void discover(HttpExchange exchange) throws IOException {
    if (verbs == null) {
      answer(exchange, 404, "404 page not found");
    } else {
      answer(
          exchange,
          200,
          "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"fleet.nodepool.io/v1alpha1\",\"resources\":[{\"name\":\"hosts\",\"singularName\":\"host\",\"namespaced\":false,\"kind\":\"Host\",\"verbs\":[%s]}]}"
              .formatted(verbs));
    }
  }

  private Answer<Host> read() {
    try (KubernetesClient client = Clients.forRequests(config, meter)) {
      return new HostRequests(new ApiRequests(client, () -> true)).read(new HostId("g1", "h-1"));
    }
  }

  @Test
  void aHostThatWasDeletedIsMissing() {
    exists = false;

    assertThat(read()).isInstanceOf(Answer.Missing.class);
  }

  /** Its Node would be removed from the cluster as one without a machine. */
  @Test
  void aHostWhoseDefinitionIsMissingIsNotKnownToBeDeleted() {
    exists = false;
    verbs = null;

    assertThat(read()).isInstanceOf(Answer.Unavailable.class);
  }

  /** The API server deletes all Hosts before the definition, and serves reads meanwhile. */
  @Test
  void aHostWhoseDefinitionIsBeingDeletedIsNotKnownToBeDeleted() {
    exists = false;
    verbs = "\"delete\",\"deletecollection\",\"get\",\"list\",\"watch\"";

    assertThat(read())
        .isInstanceOfSatisfying(
            Answer.Unavailable.class,
            answer -> assertThat(answer.why()).contains("hosts.fleet.nodepool.io"));
  }

  private static void answer(HttpExchange exchange, int code, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private String host() {
    return "{\"kind\":\"Host\",\"apiVersion\":\"fleet.nodepool.io/v1alpha1\",\"metadata\":{\"name\":\"g1\",\"uid\":\"h-1\",\"resourceVersion\":\"7\"},\"spec\":%s,\"status\":{\"phase\":\"%s\"}}"
        .formatted(spec, phase);
  }

  private Answer<Host> assign() {
    PoolId pool = new PoolId("a", "p-1");
    HostId host = new HostId("g1", "h-1");
    try (KubernetesClient client = Clients.forRequests(config, meter)) {
      return new HostRequests(new ApiRequests(client, () -> true))
          .perform(
              new HostOperation.Assign(
                  host,
                  3,
                  new Assignment(
                      pool,
                      "default",
                      HostOperation.assignId(host, 3, pool),
                      Instant.EPOCH,
                      NodeTemplate.EMPTY),
                  "c1"));
    }
  }

  @Test
  void anAssignmentThatIsRefusedAlthoughTheHostIsFreeIsDenied() {
    assertThat(assign())
        .isInstanceOfSatisfying(
            Answer.Denied.class,
            denied -> assertThat(denied.why()).contains("ValidatingAdmissionPolicy 'freeze'"));
  }

  @Test
  void oneOfAHostThatIsBeingCleanedIsAConflict() {
    phase = "Cleaning";

    assertThat(assign()).isInstanceOf(Answer.Refused.class);
  }

  @Test
  void oneOfAHostThatAnotherPoolHoldsIsAConflict() {
    spec =
        "{\"tenancy\":4,\"machine\":{\"instanceType\":\"t\"},\"assignment\":{\"pool\":\"b\",\"poolUid\":\"p-2\",\"operation\":\"o\",\"at\":\"2026-01-01T00:00:00Z\"}}";

    assertThat(assign()).isInstanceOf(Answer.Refused.class);
  }
}
