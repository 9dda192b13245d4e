package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.health.SignalSource;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the receiver writes that Alertmanager was heard of. */
@Timeout(60)
class HeartbeatTest {
  private static final Instant START = Instant.parse("2026-11-26T18:00:00Z");

  private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
  private volatile int code = 200;
  private volatile Instant now = START;
  private HttpServer server;
  private KubernetesClient client;
  private Heartbeat heartbeat;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          byte[] answer = "{}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(code, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
          requests.add(exchange.getRequestURI() + " " + new String(body, StandardCharsets.UTF_8));
        });
    server.start();
    client =
        Clients.forRequests(
            new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build(),
            new RequestMeter(new SimpleMeterRegistry()));
    heartbeat = new Heartbeat(new ApiRequests(client, WriteGate.ALWAYS_OPEN), () -> now);
  }

  @AfterEach
  void stop() {
    client.close();
    server.stop(0);
  }

  private String heardAfter(Duration since) throws InterruptedException {
    now = START.plus(since);
    heartbeat.heard();
    String request = requests.poll(30, TimeUnit.SECONDS);
    assertThat(request).as("a request").isNotNull();
    return request;
  }

  @Test
  void itIsWrittenAtMostEveryTenMinutes() throws Exception {
    assertThat(heardAfter(Duration.ZERO))
        .startsWith(
            "/apis/fleet.nodepool.io/v1alpha1/signalsources/alertmanager?fieldManager=nodepool-alert-receiver&force=true ")
        .endsWith(
            "\"kind\": \"SignalSource\", \"metadata\": {\"name\": \"alertmanager\"}, \"spec\": {\"heartbeatAt\": \"2026-11-26T18:00:00Z\"}}");
    now = START.plusSeconds(599);
    heartbeat.heard();
    assertThat(heardAfter(Duration.ofMinutes(10))).contains("18:10:00Z");
    assertThat(requests).isEmpty();
  }

  @Test
  void whatAnotherReplicaWroteCounts() throws Exception {
    heartbeat.observed(new SignalSource("alertmanager", "u", 1, START));
    now = START.plusSeconds(599);
    heartbeat.heard();
    heartbeat.gone();
    assertThat(heardAfter(Duration.ofSeconds(599))).contains("18:09:59Z");
    assertThat(requests).isEmpty();
  }

  @Test
  void oneThatIsAheadOfTheClockIsCorrected() throws Exception {
    heartbeat.observed(new SignalSource("alertmanager", "u", 1, START.plus(Duration.ofDays(1))));
    assertThat(heardAfter(Duration.ZERO)).contains("18:00:00Z");
  }

  @Test
  void oneThatFailsIsWrittenWithTheNextNotification() throws Exception {
    code = 500;
    assertThat(heardAfter(Duration.ZERO)).contains("18:00:00Z");
    code = 200;
    @Nullable String second = null;
    for (int each = 0; each < 1000 && second == null; each++) {
      now = START.plusSeconds(1);
      heartbeat.heard();
      second = requests.poll(30, TimeUnit.MILLISECONDS);
    }
    assertThat(second).contains("18:00:01Z");
  }
}
