package io.nodepool.bench.signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.signals.SentAlerts.Part;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sender and a receiver that answers as it is told. */
@Timeout(120)
class AlertSenderTest {
  private static final Instant NOW = Instant.parse("2026-11-27T08:00:00Z");
  private static final List<SentAlerts> GROUPS = SentAlerts.of(List.of("g1", "g2"), NOW);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final Queue<Integer> codes = new ConcurrentLinkedQueue<>();
  private final List<JsonNode> bodies = new CopyOnWriteArrayList<>();
  private final List<String> tokens = new CopyOnWriteArrayList<>();
  private final AlertSender sender;

  AlertSenderTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
    sender =
        new AlertSender(
            URI.create("http://127.0.0.1:%d/".formatted(server.getAddress().getPort())),
            "secret",
            InstantSource.fixed(NOW));
  }

  @AfterEach
  void stop() {
    sender.close();
    server.stop(0);
    threads.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    bodies.add(new ObjectMapper().readTree(exchange.getRequestBody()));
    tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    int code = Objects.requireNonNullElse(codes.poll(), 200);
    if (code == 503) {
      exchange.getResponseHeaders().add("Retry-After", "0");
    }
    exchange.sendResponseHeaders(code, -1);
    exchange.close();
  }

  @Test
  void whatIsRefusedIsSentAgainUntilItIsStored() {
    codes.addAll(List.of(503, 503, 503));
    AlertSender.Sending sending = sender.begin(Part.PREPARED, GROUPS.subList(0, 1));
    await().atMost(Duration.ofSeconds(60)).until(() -> bodies.size() == 4 && sending.isStored());

    AlertSender.Sent sent = sending.sent();
    assertThat(sent.refused()).isEqualTo(3);
    assertThat(sent.times()).hasSize(1);
    assertThat(sent.changes()).isEqualTo(2);
    assertThat(sent.alerts()).isEqualTo(8);
    assertThat(sent.first()).containsOnlyKeys("g1/GPUVeryHot", "g2/GPUVeryHot");
    assertThat(tokens).containsOnly("Bearer secret");
    assertThat(sending.newest())
        .extracting(SentAlerts.SentAlert::node)
        .containsExactlyInAnyOrder("g1", "g2");
  }

  /** Until its condition is shown no time passes: it was shown before. */
  @Test
  void anAlertThatEndsIsNotOneThatBegan() {
    SentAlerts ofLastGpu = new SentAlerts(0, SentAlerts.GPUS - 1, NOW, List.of("g1", "g2"));
    AlertSender.Sending sending = sender.begin(Part.MOSTLY_REPEATED, List.of(ofLastGpu));
    await().atMost(Duration.ofSeconds(60)).until(() -> !bodies.isEmpty() && sending.isStored());
    sending.endRounds();

    assertThat(bodies.getFirst().path("alerts").findValuesAsText("status"))
        .containsExactlyInAnyOrder("resolved", "firing");
    assertThat(sending.sent().first()).isEmpty();
  }

  @Test
  void anotherAnswerEndsTheMeasurement() {
    codes.add(401);
    AlertSender.Sending sending = sender.begin(Part.PREPARED, GROUPS.subList(0, 1));
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() ->
            assertThatThrownBy(sending::isStored)
                .isInstanceOf(BenchFailure.class)
                .hasMessageContaining("401"));
  }
}
