package io.nodepool.receiver.alertmanager;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;

/**
 * The configuration of Alertmanager that ships as an example, with the address and the files of a
 * test. Its routes and receivers stay as they are, but for how long is waited.
 */
final class ExampleConfiguration {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path EXAMPLE = Path.of("examples", "alertmanager.yaml");

  private final ObjectNode document;

  /**
   * The example.
   *
   * @param port the port of the operator on loopback
   * @param folder where the files {@code token} and {@code tls.crt} are
   */
  ExampleConfiguration(int port, Path folder) {
    try {
      document = (ObjectNode) YAML.readTree(EXAMPLE.toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    ObjectNode webhook = object(document.at("/receivers/1/webhook_configs/0"));
    replace(webhook, "url", "https://127.0.0.1:%d%s".formatted(port, path(webhook)));
    ObjectNode http = object(webhook.path("http_config"));
    replace(
        object(http.path("authorization")),
        "credentials_file",
        folder.resolve("token").toAbsolutePath().toString());
    replace(
        object(http.path("tls_config")),
        "ca_file",
        folder.resolve("tls.crt").toAbsolutePath().toString());
  }

  private static String path(ObjectNode webhook) {
    return URI.create(webhook.path("url").asText()).getPath();
  }

  /** Alertmanager would use its own default in place of a field that the example does not have. */
  private static void replace(ObjectNode in, String field, String value) {
    if (!in.has(field)) {
      throw new AssertionError("%s has no %s in %s".formatted(EXAMPLE, field, in));
    }
    in.put(field, value);
  }

  private static ObjectNode object(JsonNode node) {
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw new AssertionError("%s has another structure than the tests expect".formatted(EXAMPLE));
  }

  /** The route of the alerts about machines; the one before it is that of the heartbeat. */
  private ObjectNode route() {
    return object(document.at("/route/routes/1"));
  }

  /** The same with other times to wait; a time is written as {@code 5s}. */
  ExampleConfiguration waiting(String group, String interval, String repeat) {
    replace(route(), "group_wait", group);
    replace(route(), "group_interval", interval);
    replace(route(), "repeat_interval", repeat);
    return this;
  }

  /** The same with alerts of one name in one notification, whichever machines they are about. */
  ExampleConfiguration groupedByNameAlone() {
    ArrayNode labels = route().putArray("group_by");
    labels.add("alertname");
    return this;
  }

  /** Its text. */
  String yaml() {
    try {
      return YAML.writeValueAsString(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
