package io.nodepool.plugin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.nodepool.plugin.input.PluginSurroundings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A server with prepared answers, and the plugin that talks to it. Writes are recorded. A test has
 * one as an extension, which ends with it.
 */
public final class FakeApi implements AfterEachCallback {
  static final Instant NOW = Instant.parse("2026-11-22T10:00:00.5Z");

  /** An answer: the HTTP status and the body. */
  private record Answer(int code, String body) {}

  public final List<String> requests = new CopyOnWriteArrayList<>();
  final List<String> queries = new CopyOnWriteArrayList<>();
  final List<String> users = new CopyOnWriteArrayList<>();
  final List<String> writes = new CopyOnWriteArrayList<>();
  final List<String> questions = new ArrayList<>();
  final AtomicInteger pauses = new AtomicInteger();
  Optional<Boolean> person = Optional.empty();
  Duration step = Duration.ZERO;

  private final Map<String, Deque<Answer>> answers = new ConcurrentHashMap<>();
  private final AtomicLong nanos = new AtomicLong();
  private final HttpServer server;
  private final Path kubeconfig;
  private StringWriter out = new StringWriter();
  private StringWriter err = new StringWriter();

  /** A server that answers nothing yet. */
  public FakeApi() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      kubeconfig = Files.createTempFile("kubeconfig", "");
      Files.writeString(
          kubeconfig,
          """
          apiVersion: v1
          kind: Config
          clusters: [{name: c, cluster: {server: 'http://127.0.0.1:%d/behind/a/proxy'}}]
          users: [{name: c, user: {token: t}}]
          contexts: [{name: c, context: {cluster: c, user: c}}]
          current-context: c
          """
              .formatted(server.getAddress().getPort()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/", this::handle);
    server.start();
  }

  /** Prepares the answer to a request; several for the same one come in turn, the last stays. */
  FakeApi on(String request, String body) {
    return on(request, 200, body);
  }

  FakeApi on(String request, int code, String body) {
    answers
        .computeIfAbsent(request, _ -> new ArrayDeque<>())
        .add(new Answer(code, body.replace('\'', '"')));
    return this;
  }

  private void handle(HttpExchange exchange) throws IOException {
    String path =
        exchange
            .getRequestURI()
            .toString()
            .replaceFirst("^/behind/a/proxy", "")
            .replaceFirst("&.*", "");
    String request = exchange.getRequestMethod() + " " + path;
    String body =
        new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)
            .replace('"', '\'');
    requests.add(request);
    users.add(String.valueOf(exchange.getRequestHeaders().getFirst("Impersonate-User")));
    queries.add(String.valueOf(exchange.getRequestURI().getQuery()));
    if (!exchange.getRequestMethod().equals("GET")) {
      writes.add(request + " " + body);
    }
    Deque<Answer> prepared = answers.getOrDefault(request, new ArrayDeque<>());
    Answer answer = prepared.size() > 1 ? prepared.poll() : prepared.peek();
    if (answer == null) {
      answer =
          exchange.getRequestMethod().equals("GET")
              ? new Answer(404, status(path.substring(path.lastIndexOf('/') + 1) + " not found"))
              : new Answer(200, "{}");
    }
    byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(answer.code(), bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  static String status(String message) {
    return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"message\":\"%s\"}".formatted(message);
  }

  /** Runs {@code kubectl nodepool node} with these words. */
  int run(String... words) {
    List<String> arguments = new ArrayList<>(List.of("node"));
    arguments.addAll(List.of(words));
    return command(arguments.toArray(new String[0]));
  }

  /** Runs {@code kubectl nodepool} with these words. */
  public int command(String... words) {
    List<String> arguments = new ArrayList<>(List.of(words));
    arguments.add("--kubeconfig=" + kubeconfig);
    return execute(arguments);
  }

  private int execute(List<String> arguments) {
    out = new StringWriter();
    err = new StringWriter();
    PluginSurroundings surroundings =
        new PluginSurroundings(
            question -> {
              questions.add(question);
              return person;
            },
            InstantSource.fixed(NOW),
            () -> nanos.getAndAdd(step.toNanos()),
            _ -> pauses.incrementAndGet());
    return KubectlPlugin.run(
        surroundings,
        new PrintWriter(out, true),
        new PrintWriter(err, true),
        arguments.toArray(new String[0]));
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }

  @Override
  public void afterEach(ExtensionContext context) throws IOException {
    server.stop(0);
    Files.delete(kubeconfig);
  }

  /** A Node with an activity (True or False) and further conditions. */
  static String node(String name, String active, String... conditions) {
    List<String> all =
        new ArrayList<>(
            List.of(
                condition("Ready", "True", "KubeletReady", ""),
                condition("CWActive", active, "Work", "2 Pods of tenant workloads: Job a/b.")));
    all.addAll(List.of(conditions));
    return """
    {'metadata': {'name': '%s', 'uid': 'u-%s', 'resourceVersion': '7', 'creationTimestamp': '2026-11-22T08:00:00Z',
      'labels': {'compute.coreweave.com/node-pool': 'train', 'node.kubernetes.io/instance-type': 'gd-8xh100ib-i128',
        'node.coreweave.cloud/state': 'production', 'node.coreweave.cloud/rack': '169', 'node.coreweave.cloud/slot': '7'},
      'managedFields': [{'manager': 'x'}]},
     'spec': {},
     'status': {'nodeInfo': {'bootID': 'boot-1'}, 'conditions': [%s]}}
    """
        .formatted(name, name, String.join(", ", all));
  }

  static String condition(String type, String status, String reason, String message) {
    return "{'type': '%s', 'status': '%s', 'reason': '%s', 'message': '%s', 'lastTransitionTime': '2026-11-22T09:00:00Z'}"
        .formatted(type, status, reason, message);
  }

  /** A Node with one more field of its metadata or spec. */
  static String with(String node, String place, String fields) {
    return switch (place) {
      case "labels" -> node.replace("'labels': {", "'labels': {" + fields + ", ");
      case "annotations" ->
          node.replace("'managedFields'", "'annotations': {" + fields + "}, 'managedFields'");
      case "spec" -> node.replace("'spec': {}", "'spec': {" + fields + "}");
      default -> throw new IllegalArgumentException(place);
    };
  }
}
