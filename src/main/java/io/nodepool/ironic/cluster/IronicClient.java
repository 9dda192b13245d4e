package io.nodepool.ironic.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.Answer;
import io.nodepool.ironic.EngineRequest;
import io.nodepool.ironic.IronicNode;
import io.nodepool.ironic.ProvisionState;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.vocabulary.UserText;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;

/**
 * Requests to the API of an Ironic, each sent once. Blocks the caller until the answer arrives or
 * the time-out passes.
 */
final class IronicClient implements AutoCloseable {
  /** The version of the API that this client was tested with. */
  static final String MICROVERSION = "1.110";

  /** Ironic answers once a conductor has the lock, after some retries of its own. */
  private static final Duration TIME_OUT = Duration.ofSeconds(30);

  private static final Duration CONNECT = Duration.ofSeconds(5);
  private static final int PAGE = 500;
  private static final int MOST_PAGES = 100;

  /** The most bytes of an answer: a page of nodes has about 2 MB. */
  private static final long LARGEST = 32L << 20;

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNodeFactory MAKE = JsonNodeFactory.instance;

  private final URI api;
  private final IronicAuth auth;
  private final HttpClient http;

  /**
   * A client.
   *
   * @param api the address, such as {@code https://ironic.example:6385}
   * @param trust the trusted authorities; empty for those of this JVM
   */
  IronicClient(URI api, IronicAuth auth, Optional<SSLContext> trust) {
    String text = api.toString().replaceAll("/+$", "");
    this.api = URI.create(text.endsWith("/v1") ? text : text + "/v1");
    this.auth = auth;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT);
    trust.ifPresent(builder::sslContext);
    this.http = builder.build();
  }

  /** All nodes, whole: a list of chosen fields cannot name the conductor (39.0.0 answers 500). */
  Answer<List<IronicNode>> list(Instant now) {
    List<IronicNode> nodes = new ArrayList<>();
    String marker = "";
    for (int page = 0; page < MOST_PAGES; page++) {
      String query = "/nodes/detail?limit=" + PAGE;
      Answer<JsonNode> answer =
          send("GET", query + (marker.isEmpty() ? "" : "&marker=" + marker), Optional.empty());
      if (!(answer instanceof Answer.Done<JsonNode>(JsonNode found))) {
        return answer.map(_ -> List.of());
      }
      JsonNode listed = found.path("nodes");
      listed.forEach(node -> nodes.add(node(node, now)));
      if (!found.hasNonNull("next") || listed.isEmpty()) {
        return new Answer.Done<>(nodes);
      }
      marker = nodes.getLast().uuid();
    }
    return new Answer.Denied<>("Ironic has more than %d nodes".formatted(MOST_PAGES * PAGE), true);
  }

  /** One node. */
  Answer<IronicNode> read(String uuid, Instant now) {
    return send("GET", "/nodes/" + uuid, Optional.empty()).map(found -> node(found, now));
  }

  /**
   * A node with the last error of its history: Ironic clears the node's own error when it powers
   * off the failed machine. Without a history, the error states that, so that it is not read again.
   */
  IronicNode explained(IronicNode node) {
    String path = "/nodes/" + node.uuid() + "/history?detail=true";
    if (!(send("GET", path, Optional.empty()) instanceof Answer.Done<JsonNode>(JsonNode found))) {
      return node.withLastError("its history cannot be read");
    }
    String last = "";
    for (JsonNode event : found.path("history")) {
      last = text(event, "severity").equals("ERROR") ? text(event, "event") : last;
    }
    return node.withLastError(last.isEmpty() ? "nothing in its history" : last);
  }

  /**
   * Sends a request about a node. After a success, the operation may still be in progress.
   *
   * @param drive the config drive of a deployment
   */
  Answer<JsonNode> send(String uuid, EngineRequest request, ObjectNode drive) {
    String node = "/nodes/" + uuid;
    return switch (request) {
      case EngineRequest.ClaimNode claim -> {
        ObjectNode info = MAKE.objectNode();
        boolean live = claim.source().image().endsWith(".iso");
        info.put(live ? "boot_iso" : "image_source", claim.source().image());
        if (!claim.source().checksum().isEmpty()) {
          info.put("image_checksum", claim.source().checksum());
        }
        yield patch(
            node,
            new JsonPatch()
                .set("/instance_uuid", claim.instance())
                .set("/instance_info", info)
                .set("/extra/nodepool", note(claim.note())));
      }
      case EngineRequest.Unclaim _ -> patch(node, new JsonPatch().remove("/instance_uuid"));
      case EngineRequest.Mark(IronicNode.Note note) ->
          patch(node, new JsonPatch().set("/extra/nodepool", note(note)));
      case EngineRequest.Deploy _ -> {
        ObjectNode body = MAKE.objectNode().put("target", "active");
        body.set("configdrive", drive);
        yield send("PUT", node + "/states/provision", Optional.of(body));
      }
      case EngineRequest.Undeploy _ -> provision(node, "deleted");
      case EngineRequest.Manage _ -> provision(node, "manage");
      case EngineRequest.Provide _ -> provision(node, "provide");
      case EngineRequest.SetPower(EngineRequest.Target target) ->
          send(
              "PUT",
              node + "/states/power",
              Optional.of(MAKE.objectNode().put("target", target.word())));
    };
  }

  private Answer<JsonNode> provision(String node, String target) {
    return send(
        "PUT", node + "/states/provision", Optional.of(MAKE.objectNode().put("target", target)));
  }

  private Answer<JsonNode> patch(String path, JsonPatch patch) {
    try {
      return send("PATCH", path, Optional.of((ArrayNode) JSON.readTree(patch.json())));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ObjectNode note(IronicNode.Note note) {
    return MAKE.objectNode()
        .put("host", note.host())
        .put("tenancy", note.tenancy())
        .put("configuration", note.configuration())
        .put("boot", note.boot())
        .put("before", note.before());
  }

  private Answer<JsonNode> send(String method, String path, Optional<JsonNode> body) {
    try {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(api + path))
              .timeout(TIME_OUT)
              .header("Accept", "application/json")
              .header("X-OpenStack-Ironic-API-Version", MICROVERSION)
              .method(
                  method,
                  body.map(each -> HttpRequest.BodyPublishers.ofString(each.toString()))
                      .orElseGet(HttpRequest.BodyPublishers::noBody));
      body.ifPresent(_ -> request.header("Content-Type", "application/json"));
      auth.header(http).forEach(request::header);
      HttpResponse<String> response = http.send(request.build(), bounded());
      if (response.statusCode() == 401) {
        auth.refused();
      }
      return answer(response);
    } catch (ConnectException | HttpConnectTimeoutException | SSLHandshakeException e) {
      return new Answer.Unavailable<>("no connection to Ironic at %s: %s".formatted(api, e));
    } catch (IOException e) {
      return new Answer.Unknown<>("no answer of Ironic: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Answer.Unknown<>("interrupted while waiting for Ironic");
    }
  }

  static HttpResponse.BodyHandler<String> bounded() {
    return HttpResponse.BodyHandlers.limiting(
        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8), LARGEST);
  }

  private static Answer<JsonNode> answer(HttpResponse<String> response) {
    int code = response.statusCode();
    if (code >= 200 && code < 300) {
      try {
        return new Answer.Done<>(
            response.body().isEmpty() ? MAKE.objectNode() : JSON.readTree(response.body()));
      } catch (JsonProcessingException e) {
        return new Answer.Unknown<>("Ironic's answer is no JSON: " + e.getOriginalMessage());
      }
    }
    String why = "Ironic, HTTP %d: %s".formatted(code, message(response.body()));
    return switch (code) {
      case 404 -> new Answer.Missing<>();
      // Its lock, another instance_uuid, or a transition: all are decided again.
      case 409 -> new Answer.Refused<>(why);
      case 401, 429, 503 -> new Answer.Unavailable<>(why);
      default -> code < 500 ? new Answer.Denied<>(why) : new Answer.Unknown<>(why);
    };
  }

  /** Ironic's message is JSON within JSON. */
  static String message(String body) {
    try {
      JsonNode message = JSON.readTree(body).path("error_message");
      JsonNode inner = message.isTextual() ? JSON.readTree(message.textValue()) : message;
      String text = inner.path("faultstring").asText("");
      return UserText.explanation(text.isEmpty() ? body : text);
    } catch (JsonProcessingException e) {
      return UserText.explanation(body);
    }
  }

  /** A node as Ironic describes it. */
  static IronicNode node(JsonNode node, Instant seenAt) {
    JsonNode extra = node.path("extra");
    Map<String, String> texts = new TreeMap<>();
    extra.properties().stream()
        .filter(each -> each.getValue().isValueNode() && !each.getValue().isNull())
        .forEach(each -> texts.put(each.getKey(), each.getValue().asText()));
    TreeSet<String> traits = new TreeSet<>();
    node.path("traits").forEach(each -> traits.add(each.asText()));
    return new IronicNode(
        text(node, "uuid"),
        text(node, "name"),
        new IronicNode.Kind(text(node, "resource_class"), traits),
        ProvisionState.of(text(node, "provision_state")),
        new IronicNode.Power(
            text(node, "power_state"),
            text(node, "target_power_state"),
            text(node.path("driver_internal_info"), "last_power_state_change")),
        new IronicNode.Obstacles(
            node.path("maintenance").asBoolean(),
            text(node, "fault"),
            text(node, "maintenance_reason"),
            node.path("retired").asBoolean(),
            !text(node, "reservation").isEmpty(),
            !text(node, "conductor").isEmpty()),
        text(node, "instance_uuid"),
        text(node, "last_error"),
        note(extra.path("nodepool")),
        texts,
        seenAt);
  }

  private static IronicNode.Note note(JsonNode note) {
    return note.isObject()
        ? new IronicNode.Note(
            text(note, "host"),
            note.path("tenancy").asInt(),
            text(note, "configuration"),
            text(note, "boot"),
            text(note, "before"))
        : IronicNode.Note.NONE;
  }

  private static String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isNull() ? "" : value.asText("");
  }

  @Override
  public void close() {
    http.close();
  }
}
