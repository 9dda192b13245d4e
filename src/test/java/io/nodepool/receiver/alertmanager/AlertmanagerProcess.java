package io.nodepool.receiver.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.monitoring.MonitoringProgram;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A real Alertmanager on loopback, observed through its own API and metrics. */
public final class AlertmanagerProcess implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final MonitoringProgram program;

  private AlertmanagerProcess(MonitoringProgram program) {
    this.program = program;
  }

  /** Starts it, and waits until it is ready. */
  static AlertmanagerProcess start(Path folder, ExampleConfiguration configuration)
      throws IOException {
    return start(folder, configuration.yaml());
  }

  /** The same with a configuration in YAML. */
  public static AlertmanagerProcess start(Path folder, String configuration) throws IOException {
    Path file = Files.writeString(folder.resolve("alertmanager.yaml"), configuration);
    return new AlertmanagerProcess(
        MonitoringProgram.start(
            "alertmanager",
            folder,
            "--config.file=" + file,
            "--storage.path=" + folder.resolve("alertmanager"),
            "--web.listen-address=127.0.0.1:0",
            // It has no peers, and listens for none.
            "--cluster.listen-address="));
  }

  /** Where it serves. */
  public URI served() {
    return program.served();
  }

  /** Posts alerts as a monitor does. */
  void post(List<PostedAlert> alerts) {
    HttpResponse<String> answer =
        program.send(
            program
                .request("/api/v2/alerts")
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
  public List<String> active(String label) {
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
        program
            .get("/metrics")
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
    return program.json(path);
  }

  /** What it has said so far. */
  String log() {
    return program.log();
  }

  @Override
  public void close() {
    program.close();
  }
}
