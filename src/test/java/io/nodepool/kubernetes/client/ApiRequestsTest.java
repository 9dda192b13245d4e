package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Single requests to a server that fails on demand. */
@Tag("slow")
class ApiRequestsTest {
  private final List<String> received = new CopyOnWriteArrayList<>();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final RequestMeter meter = new RequestMeter(registry);
  private final CountDownLatch end = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final KubernetesClient client;

  ApiRequestsTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    client = Clients.forRequests(config, meter);
  }

  @BeforeEach
  void serve() {
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  @AfterEach
  void stop() {
    end.countDown();
    server.stop(0);
    client.close();
    threads.close();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    received.add(
        "%s %s %s"
            .formatted(
                exchange.getRequestMethod(),
                path,
                exchange.getRequestHeaders().getFirst("Content-Type")));
    exchange.getRequestBody().readAllBytes();
    String name = path.substring(path.lastIndexOf('/') + 1);
    switch (name) {
      case "closes" -> exchange.close();
      case "hangs" -> hang();
      case "good" -> answer(exchange, 200, "{\"kind\":\"Node\"}");
      case "nowhere" ->
          answer(
              exchange,
              404,
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"the server could not find the requested resource\"}");
      case "text" -> answer(exchange, 502, "bad gateway");
      default ->
          answer(
              exchange,
              Integer.parseInt(name),
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"says why\"}");
    }
  }

  private void hang() {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(HttpExchange exchange, int code, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(code, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Reply patch(String name, boolean gateOpen) {
    return new ApiRequests(client, () -> gateOpen)
        .patch(ApiPaths.node(name), ApiRequests.PatchType.STRATEGIC, "{}");
  }

  @Test
  void aRequestIsSentOnceAndAnswered() {
    assertThat(patch("good", true)).isEqualTo(new Reply.Ok("{\"kind\":\"Node\"}"));
    assertThat(received)
        .containsExactly("PATCH /api/v1/nodes/good application/strategic-merge-patch+json");
  }

  @Test
  void anAnswerThatAResourceIsMissingNamesIt() {
    assertThat(patch("nowhere", true))
        .isEqualTo(
            new Reply.Rejected(
                404, "the server could not find the requested resource (/api/v1/nodes/nowhere)"));
  }

  @Test
  void anErrorIsNotRetried() {
    for (int code : new int[] {409, 429, 500, 503}) {
      received.clear();
      assertThat(patch(Integer.toString(code), true))
          .isEqualTo(new Reply.Rejected(code, "says why"));
      assertThat(received).hasSize(1);
    }
    assertThat(patch("text", true)).isEqualTo(new Reply.Rejected(502, "bad gateway"));
  }

  @Test
  void aConnectionThatEndsWithoutAnAnswerLeavesDoubt() {
    assertThat(patch("closes", true)).isInstanceOf(Reply.Lost.class);
    assertThat(received).hasSize(1);
  }

  @Test
  void aServerThatHangsLeavesDoubt() {
    assertThat(patch("hangs", true)).isInstanceOf(Reply.Lost.class);
    assertThat(received).hasSize(1);
  }

  @Test
  void nothingIsSentWithoutAServer() {
    server.stop(0);

    assertThat(patch("good", true)).isInstanceOf(Reply.NotSent.class);
  }

  @Test
  void aClosedGateBlocksWritesButNotReads() {
    assertThat(patch("good", false)).isInstanceOf(Reply.NotSent.class);
    assertThat(received).isEmpty();

    assertThat(new ApiRequests(client, () -> false).get(ApiPaths.node("good")))
        .isInstanceOf(Reply.Ok.class);
  }

  @Test
  void requestsAreCountedByVerbResourceAndCode() {
    patch("good", true);
    patch("409", true);

    assertThat(meter.counts().of("patch nodes")).isEqualTo(2);
    assertThat(
            registry
                .get("nodepool.api.requests")
                .tags("verb", "patch", "resource", "nodes", "code", "409")
                .counter()
                .count())
        .isEqualTo(1);
  }
}
