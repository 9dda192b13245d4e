package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.HostId;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.http.BearerToken;
import io.nodepool.http.Endpoint;
import io.nodepool.vocabulary.Metric;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The answers of the receiver over loopback; the writes are answered by the test. */
@Timeout(120)
class AlertReceiverTest {
  private static final String TOKEN = "the-token-of-the-test";
  private static final String NOW = "2026-11-26T19:00:00Z";
  private static final String SINCE = "2026-11-26T18:00:00Z";
  private static final AlertReceiver.Limits LIMITS =
      new AlertReceiver.Limits(100_000, 4, 10, Duration.ofSeconds(60));

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ReceiverMeters meters = new ReceiverMeters(registry, System::nanoTime);
  private final HostNames names = new HostNames();
  private final StoredSignals stored = new StoredSignals();
  private final AtomicBoolean ready = new AtomicBoolean(true);
  private final List<Map<SignalKey, Signal>> written = new CopyOnWriteArrayList<>();
  private final AtomicInteger heard = new AtomicInteger();
  private final HttpClient http = HttpClient.newHttpClient();
  private volatile CompletableFuture<WriteOutcome> outcome =
      CompletableFuture.completedFuture(WriteOutcome.STORED);
  private volatile CompletableFuture<Void> begun = new CompletableFuture<>();
  private final SignalStore store =
      new SignalStore(
          (host, signals) -> {
            written.add(Map.copyOf(signals));
            begun.complete(null);
            return outcome.join();
          },
          4,
          Duration.ofSeconds(60));

  @TempDir private Path folder;
  private Path tokenFile;
  private Endpoint endpoint;

  @BeforeEach
  void start() throws IOException {
    tokenFile = Files.writeString(folder.resolve("token"), TOKEN + "\n");
    endpoint =
        Endpoint.receiving(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.empty(),
            ReceiverRuntime.PATH,
            new AlertReceiver(
                new BearerToken(tokenFile),
                ready::get,
                names,
                stored,
                store,
                heard::incrementAndGet,
                () -> Instant.parse(NOW),
                LIMITS,
                meters));
    names.seen(new HostId("g1", "uid-1"), "");
    names.seen(new HostId("g2", "uid-2"), "");
  }

  @AfterEach
  void stop() {
    outcome.complete(WriteOutcome.STORED);
    endpoint.close();
    store.close();
    http.close();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:%d%s".formatted(endpoint.port(), path)))
        .header("Authorization", "Bearer " + TOKEN);
  }

  private HttpResponse<String> post(String body) throws Exception {
    return send(request(ReceiverRuntime.PATH), body);
  }

  private HttpResponse<String> send(HttpRequest.Builder request, String body) throws Exception {
    return http.send(
        request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static String firing(String... labels) {
    return Bodies.firing(SINCE, labels);
  }

  private double count(AlertOutcome outcome) {
    return registry
        .get(Metric.RECEIVER_ALERTS.id())
        .tag("outcome", outcome.word())
        .counter()
        .count();
  }

  private static String later(HttpResponse<String> response) {
    return response.statusCode() + " after " + response.headers().firstValue("Retry-After").get();
  }

  @Test
  void whatIsStoredIsAnswered200AndCounted() throws Exception {
    HttpResponse<String> response =
        post(
            Bodies.of(
                firing("alertname=A", "node=g1"),
                firing("alertname=B", "instance=g1:9100"),
                firing("alertname=A", "node=g2"),
                firing("alertname=A", "node=absent"),
                firing("alertname=A", "job=dcgm")));

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body())
        .isEqualTo(
            "5 alerts: 3 stored, 1 without a label that names a machine, 1 about unknown machines\n");
    assertThat(written).extracting(Map::size).containsExactlyInAnyOrder(1, 2);
    assertThat(count(AlertOutcome.STORED)).isEqualTo(3);
    assertThat(count(AlertOutcome.UNKNOWN_MACHINE)).isEqualTo(1);
    Timer timer = registry.get(Metric.RECEIVER_ANSWERS.id()).tag("code", "200").timer();
    assertThat(timer.count()).isEqualTo(1);
  }

  @Test
  void whatWasStoredBeforeIsNotWrittenAgain() throws Exception {
    stored.observed(
        new HostSignals(
            "g1",
            "object",
            Optional.of("uid-1"),
            3,
            List.of(
                Signal.standing(new SignalKey("alertmanager", "host", "A"), Instant.parse(SINCE))),
            0));

    HttpResponse<String> response = post(Bodies.of(firing("alertname=A", "node=g1")));

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("1 alert: 1 unchanged\n");
    assertThat(written).isEmpty();
  }

  @Test
  void whatCouldNotBeStoredIsToBeRepeated() throws Exception {
    outcome =
        CompletableFuture.completedFuture(
            WriteOutcome.failed(
                Set.of(new SignalKey("alertmanager", "host", "A")), "HTTP 500: etcd is away"));

    HttpResponse<String> response =
        post(Bodies.of(firing("alertname=A", "node=g1"), firing("alertname=A", "node=absent")));

    assertThat(later(response)).isEqualTo("503 after 5");
    assertThat(response.body())
        .isEqualTo(
            "2 alerts: 1 about unknown machines, 1 not stored (HTTP 500: etcd is away); repeat the notification\n");
    assertThat(count(AlertOutcome.FAILED)).isEqualTo(1);
  }

  @Test
  void whoeverHasNotTheTokenIsAnsweredWithoutTheBodyBeingRead() throws Exception {
    for (String wrong : List.of("", "Bearer ", "Bearer another-token-of-test", "Basic " + TOKEN)) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(
              URI.create("http://127.0.0.1:%d%s".formatted(endpoint.port(), ReceiverRuntime.PATH)));
      HttpResponse<String> response =
          send(wrong.isEmpty() ? request : request.header("Authorization", wrong), "no JSON");
      assertThat(response.statusCode()).isEqualTo(401);
      assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
      // The rest of the body would be taken for the next request.
      assertThat(response.headers().firstValue("Connection")).contains("close");
    }
    // The answer comes although the body never does.
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.port())) {
      OutputStream out = socket.getOutputStream();
      out.write(
          "POST /alertmanager HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII));
      out.flush();
      assertThat(new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 401");
    }
  }

  @Test
  void aNewTokenCountsAsSoonAsItIsInTheFile() throws Exception {
    Path next = Files.writeString(folder.resolve("next"), "another-token-of-test");
    Files.move(next, tokenFile, StandardCopyOption.REPLACE_EXISTING);

    assertThat(post(Bodies.of()).statusCode()).isEqualTo(401);
    assertThat(
            send(
                    request(ReceiverRuntime.PATH)
                        .setHeader("Authorization", "bearer another-token-of-test"),
                    Bodies.of())
                .statusCode())
        .isEqualTo(200);

    Files.delete(tokenFile);
    assertThat(
            send(
                    request(ReceiverRuntime.PATH)
                        .setHeader("Authorization", "Bearer another-token-of-test"),
                    Bodies.of())
                .statusCode())
        .as("with the last token while there is none")
        .isEqualTo(200);
  }

  @Test
  void aBodyThatIsNoNotificationIsRefusedWithTheReason() throws Exception {
    HttpResponse<String> response = post("{\"version\": \"3\", \"alerts\": []}");

    assertThat(response.statusCode()).isEqualTo(400);
    assertThat(response.body())
        .isEqualTo(
            "/version is \"3\"; the webhook of Alertmanager sends \"4\", that of Grafana \"1\"\n");
  }

  @Test
  void aBodyThatIsTooLongIsRefusedWhetherItStatesItsLengthOrNot() throws Exception {
    String body = Bodies.of() + " ".repeat(100_000);
    HttpResponse<String> stated = post(body);
    HttpResponse<String> chunked =
        http.send(
            request(ReceiverRuntime.PATH)
                .POST(
                    HttpRequest.BodyPublishers.ofInputStream(() ->
                        new ByteArrayInputStream(
                            (" ".repeat(100_000) + Bodies.of()).getBytes(StandardCharsets.UTF_8))))
                .build(),
            HttpResponse.BodyHandlers.ofString());

    assertThat(List.of(stated.statusCode(), chunked.statusCode())).containsOnly(413);
    assertThat(stated.body())
        .isEqualTo("the body is longer than 100000 bytes; group alerts by further labels\n");
    assertThat(chunked.body()).isEqualTo(stated.body());
    String[] many = new String[11];
    Arrays.fill(many, firing("alertname=A", "node=g1"));
    assertThat(post(Bodies.of(many)).statusCode()).isEqualTo(413);
  }

  @Test
  void moreAlertsThanMayBeInFlightAreToBeRepeated() throws Exception {
    outcome = new CompletableFuture<>();
    String[] most = new String[10];
    Arrays.fill(most, firing("alertname=A", "node=g1"));
    CompletableFuture<HttpResponse<String>> first =
        http.sendAsync(
            request(ReceiverRuntime.PATH)
                .POST(HttpRequest.BodyPublishers.ofString(Bodies.of(most)))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    begun.get();

    HttpResponse<String> response = post(Bodies.of(firing("alertname=A", "node=g2")));

    assertThat(later(response)).isEqualTo("503 after 5");
    assertThat(response.body())
        .isEqualTo("too many alerts are being stored; repeat the notification\n");
    assertThat(registry.get(Metric.RECEIVER_OLDEST_PENDING.id()).gauge().value()).isPositive();
    outcome.complete(WriteOutcome.STORED);
    assertThat(first.get().statusCode()).isEqualTo(200);
    assertThat(post(Bodies.of(firing("alertname=A", "node=g2"))).statusCode()).isEqualTo(200);
    assertThat(registry.get(Metric.RECEIVER_OLDEST_PENDING.id()).gauge().value()).isZero();
  }

  @Test
  void beforeAllHostsAreKnownNothingIsAccepted() throws Exception {
    ready.set(false);

    assertThat(later(post(Bodies.of(firing("alertname=A", "node=g1"))))).isEqualTo("503 after 5");
    assertThat(written).isEmpty();
  }

  @Test
  void whatHasNoPlaceIsNotSaidOfWhatHasOne() throws Exception {
    String[] alerts = new String[10];
    Arrays.setAll(alerts, number -> firing("alertname=A", "node=g1", "gpu=" + number / 2));
    SignalKey refused = new SignalKey("alertmanager", "gpu4", "A");
    SignalKey over = new SignalKey("alertmanager", "gpu3", "A");
    outcome =
        CompletableFuture.completedFuture(
            WriteOutcome.failed(Set.of(refused), "it is full").withUnchanged(Set.of(over)));

    HttpResponse<String> response = post(Bodies.of(alerts));

    assertThat(later(response)).isEqualTo("503 after 5");
    assertThat(response.body())
        .isEqualTo(
            "10 alerts: 6 stored, 2 unchanged, 2 not stored (it is full); repeat the notification\n");
    assertThat(count(AlertOutcome.STORED)).isEqualTo(6);
    assertThat(count(AlertOutcome.FAILED)).isEqualTo(2);

    // Another notification, of which all is stored, is not to be repeated for that.
    response = post(Bodies.of(firing("alertname=B", "node=g1")));
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("1 alert: 1 stored\n");
  }

  @Test
  void idleConnectionsDoNotKeepItFromAnswering() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int each = 0; each < 300; each++) {
        idle.add(new Socket(InetAddress.getLoopbackAddress(), endpoint.port()));
      }
      assertThat(post(Bodies.of(firing("alertname=A", "node=g1"))).statusCode()).isEqualTo(200);
    } finally {
      for (Socket each : idle) {
        each.close();
      }
    }
  }

  @Test
  void otherPagesAndMethodsAreRefused() throws Exception {
    assertThat(send(request("/"), Bodies.of()).statusCode()).isEqualTo(404);
    assertThat(send(request("/alertmanager/more"), Bodies.of()).statusCode()).isEqualTo(404);
    assertThat(send(request("/alertmanager/"), Bodies.of()).statusCode()).isEqualTo(200);
    HttpResponse<String> got =
        http.send(
            request(ReceiverRuntime.PATH).GET().build(), HttpResponse.BodyHandlers.ofString());
    assertThat(got.statusCode()).isEqualTo(405);
    assertThat(got.headers().firstValue("Allow")).contains("POST");
  }
}
