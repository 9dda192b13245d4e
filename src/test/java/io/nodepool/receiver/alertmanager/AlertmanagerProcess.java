package io.nodepool.receiver.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A real Alertmanager on loopback, observed through its own API and metrics. */
final class AlertmanagerProcess implements AutoCloseable {
  private static final Path PROGRAM = Path.of("target", "monitoring", "alertmanager");
  private static final Pattern LISTENING = Pattern.compile("msg=\"Listening on\" address=(\\S+)");
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Ends the program when its standard input ends: also when the process of the test dies. */
  private static final String GUARDIAN =
      "\"$@\" </dev/null & program=$!; cat >/dev/null; kill -9 $program; wait $program";

  private final Process guardian;
  private final Path log;
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI served;

  private AlertmanagerProcess(Process guardian, Path log) {
    this.guardian = guardian;
    this.log = log;
    try {
      this.served = await().atMost(SOON).until(this::address, Optional::isPresent).orElseThrow();
      await().atMost(SOON).until(this::isReady);
    } catch (RuntimeException | Error e) {
      close();
      throw new AssertionError(log(), e);
    }
  }

  /** Starts it, and waits until it is ready. */
  static AlertmanagerProcess start(Path folder, ExampleConfiguration configuration)
      throws IOException {
    assertThat(PROGRAM).as("bash .ci/monitoring builds the program").isExecutable();
    Path file = Files.writeString(folder.resolve("alertmanager.yaml"), configuration.yaml());
    Path log = folder.resolve("alertmanager.log");
    Process guardian =
        new ProcessBuilder(
                "sh",
                "-c",
                GUARDIAN,
                "sh",
                PROGRAM.toString(),
                "--config.file=" + file,
                "--storage.path=" + folder.resolve("alertmanager"),
                "--web.listen-address=127.0.0.1:0",
                // It has no peers, and listens for none.
                "--cluster.listen-address=")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new AlertmanagerProcess(guardian, log);
  }

  private boolean isReady() {
    return get("/-/ready").statusCode() == 200;
  }

  private Optional<URI> address() throws IOException {
    Matcher matcher = LISTENING.matcher(Files.readString(log));
    return matcher.find()
        ? Optional.of(URI.create("http://%s/".formatted(matcher.group(1))))
        : Optional.empty();
  }

  /** Posts alerts as a monitor does. */
  void post(List<PostedAlert> alerts) {
    HttpResponse<String> answer =
        send(
            request("/api/v2/alerts")
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        JSON.valueToTree(alerts.stream().map(PostedAlert::fields).toList())
                            .toString()))
                .build());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }

  /** The same for single alerts. */
  void post(PostedAlert... alerts) {
    post(List.of(alerts));
  }

  /** The number of alerts in each group that it sends to this receiver. */
  List<Integer> groupsOf(String receiver) {
    return elements(json("/api/v2/alerts/groups"))
        .filter(group -> group.at("/receiver/name").asText().equals(receiver))
        .map(group -> group.path("alerts").size())
        .toList();
  }

  /** The values of a label of the alerts that it holds as active. */
  List<String> active(String label) {
    return elements(json("/api/v2/alerts?active=true"))
        .map(alert -> alert.path("labels").path(label).asText())
        .toList();
  }

  private static Stream<JsonNode> elements(JsonNode list) {
    assertThat(list.isArray()).isTrue();
    return list.valueStream();
  }

  /** How many notifications it has begun to send; a retry after an error is no further one. */
  long notifications() {
    return metric("alertmanager_notifications_total", "");
  }

  /** How many of them it gave up. */
  long givenUp() {
    return metric("alertmanager_notifications_failed_total", "");
  }

  /** How many of them it gave up because the receiver called them wrong, with an answer 4xx. */
  long refused() {
    return metric("alertmanager_notifications_failed_total", "reason=\"clientError\"");
  }

  /** How many requests had an answer 2xx. */
  long answered() {
    return metric("alertmanager_notification_requests_total", "") - failedRequests();
  }

  /** How many had another answer, or none. */
  long failedRequests() {
    return metric("alertmanager_notification_requests_failed_total", "");
  }

  private long metric(String name, String label) {
    List<String> lines =
        get("/metrics")
            .body()
            .lines()
            .filter(line -> line.startsWith(name + "{") && line.contains(label))
            .filter(line -> line.contains("integration=\"webhook\""))
            .toList();
    assertThat(lines).as(name).isNotEmpty();
    return lines.stream()
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private JsonNode json(String path) {
    try {
      return JSON.readTree(get(path).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private HttpResponse<String> get(String path) {
    return send(request(path).build());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(served.resolve(path)).timeout(SOON);
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** What it has said so far. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    http.close();
    try {
      guardian.getOutputStream().close();
      assertThat(guardian.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
