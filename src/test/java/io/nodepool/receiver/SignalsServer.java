package io.nodepool.receiver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.nodepool.health.Signal;
import io.nodepool.kubernetes.client.ApiPaths;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** An API server for HostSignals that refuses some requests, and loses some answers. */
final class SignalsServer implements AutoCloseable {
  /** What happens to a request. */
  enum Fate {
    ANSWERED,
    /** It has no effect. */
    REFUSED,
    /** It has its effect, and the connection is closed. */
    ANSWER_LOST
  }

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Supplier<Fate> fates;
  private final HttpServer server;

  /** Guarded by this. */
  private final Map<String, ObjectNode> objects = new TreeMap<>();

  private long version;

  /** A server that asks for the fate of each request. */
  SignalsServer(Supplier<Fate> fates) throws IOException {
    this.fates = fates;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(ApiPaths.SIGNALS, this::handle);
    server.start();
  }

  /** The configuration of its clients. */
  Config config() {
    return new ConfigBuilder(Config.empty())
        .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
        .build();
  }

  /** The objects as JSON, by the names of Hosts. */
  synchronized Map<String, ObjectNode> objects() {
    Map<String, ObjectNode> copies = new TreeMap<>();
    objects.forEach((name, object) -> copies.put(name, object.deepCopy()));
    return copies;
  }

  /** An entry of an object; empty if there is none. */
  synchronized Optional<JsonNode> entry(String host, String key) {
    return Optional.ofNullable(objects.get(host))
        .map(object -> object.path("spec").path("signals").path(key))
        .filter(entry -> !entry.isMissingNode());
  }

  private record Answer(int code, String body) {}

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String name = exchange.getRequestURI().getPath().substring(ApiPaths.SIGNALS.length());
    Answer answer;
    Fate fate;
    synchronized (this) {
      fate = fates.get();
      answer =
          fate == Fate.REFUSED
              ? new Answer(503, "{}")
              : answer(exchange.getRequestMethod(), name.replace("/", ""), body);
    }
    if (fate == Fate.ANSWER_LOST) {
      exchange.close();
      return;
    }
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(answer.code(), bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Answer answer(String method, String name, String body) throws IOException {
    ObjectNode is = objects.get(name);
    return switch (method) {
      case "POST" -> {
        ObjectNode object = (ObjectNode) JSON.readTree(body);
        String created = object.path("metadata").path("name").asText();
        if (objects.containsKey(created)) {
          yield new Answer(409, "{}");
        }
        object.withObjectProperty("metadata").put("uid", "uid-of-" + created);
        yield stored(created, object);
      }
      case "PATCH" -> {
        if (is == null) {
          yield new Answer(404, "{}");
        }
        ObjectNode patch = (ObjectNode) JSON.readTree(body);
        JsonNode required = patch.path("metadata").path("resourceVersion");
        yield required.isMissingNode() || required.equals(is.at("/metadata/resourceVersion"))
            ? stored(name, merged(is.deepCopy(), patch))
            : new Answer(409, "{}");
      }
      default -> is == null ? new Answer(404, "{}") : new Answer(200, is.toString());
    };
  }

  private Answer stored(String name, ObjectNode object) {
    if (object.path("spec").path("signals").size() > Signal.MOST) {
      return new Answer(422, "{}");
    }
    version++;
    object.withObjectProperty("metadata").put("resourceVersion", String.valueOf(version));
    objects.put(name, object);
    return new Answer(200, object.toString());
  }

  /** As RFC 7386 has it. */
  private static ObjectNode merged(ObjectNode target, ObjectNode patch) {
    patch
        .properties()
        .forEach(field -> {
          JsonNode value = field.getValue();
          if (value.isNull()) {
            target.remove(field.getKey());
          } else if (value instanceof ObjectNode changes) {
            target.set(
                field.getKey(),
                merged(
                    target.get(field.getKey()) instanceof ObjectNode is
                        ? is
                        : JSON.createObjectNode(),
                    changes));
          } else {
            target.set(field.getKey(), value);
          }
        });
    return target;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
