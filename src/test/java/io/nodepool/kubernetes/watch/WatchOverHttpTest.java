package io.nodepool.kubernetes.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A watch of the client library, whose server decides how its events are cut. */
class WatchOverHttpTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** By version: a client that opens the watch again before it has read them all gets the rest. */
  private static final NavigableMap<Integer, String> EVENTS =
      new TreeMap<>(
          Map.of(
              11, event("ADDED", node("n", 11, "ü € 😀")),
              12, event("BOOKMARK", node("", 12, "")),
              13,
                  event(
                      "ADDED",
                      "{\"kind\":\"Later\",\"apiVersion\":\"x/v1\",\"metadata\":{\"name\":\"l\",\"uid\":\"l\",\"resourceVersion\":\"13\"}}"),
              14, event("MODIFIED", node("n", 14, "é"))));

  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger lists = new AtomicInteger();
  private final List<String> seen = new CopyOnWriteArrayList<>();

  WatchOverHttpTest() throws IOException {}

  @AfterEach
  void end() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private static String node(String name, int version, String note) {
    return """
    {"kind":"Node","apiVersion":"v1","metadata":{"name":"%s","uid":"%s","resourceVersion":"%d",\
    "annotations":{"note":"%s"},"managedFields":[{"manager":"m"}]}}\
    """
        .formatted(name, name, version, note);
  }

  private static String event(String type, String object) {
    return "{\"type\":\"%s\",\"object\":%s}\n".formatted(type, object);
  }

  private static int versionIn(String query) {
    return Integer.parseInt(query.replaceFirst(".*resourceVersion=(\\d+).*", "$1"));
  }

  private void serve(HttpExchange exchange) throws IOException {
    String query = exchange.getRequestURI().getQuery();
    exchange.getResponseHeaders().add("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      if (!query.contains("watch=true")) {
        int version = 10 * lists.incrementAndGet();
        out.write(
            """
            {"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}\
            """
                .formatted(version, node("listed", version, "list " + version))
                .getBytes(StandardCharsets.UTF_8));
      } else if (versionIn(query) < 20) {
        String stream =
            EVENTS.tailMap(versionIn(query), false).values().stream().collect(Collectors.joining())
                + event(
                    "ERROR",
                    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":410}");
        for (byte each : stream.getBytes(StandardCharsets.UTF_8)) {
          out.write(each);
          out.flush();
        }
      } else {
        out.flush();
        over.await();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void eventsArriveHoweverTheyAreCutAndAnExpiredWatchListsAnew() {
    server.setExecutor(threads);
    server.createContext("/api/v1/nodes", this::serve);
    server.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .withWatchReconnectInterval(10)
            .build();
    try (KubernetesClient client =
            Clients.forWatches(config, new RequestMeter(new SimpleMeterRegistry()));
        KindWatch<Node> watch =
            new KindWatch<>(
                "Node",
                client.nodes(),
                SlimStore.identityOnly(Node::new),
                node ->
                    seen.add(
                        node.getMetadata().getName()
                            + " "
                            + node.getMetadata().getAnnotations().get("note")),
                node -> seen.add("gone " + node.getMetadata().getName()))) {
      watch.start();
      await().atMost(PATIENCE).until(() -> seen.contains("gone n"));
    }

    // The client converts an object of an unknown kind to the kind that is watched. It may receive
    // an
    // event twice if it opens the watch again at that moment.
    assertThat(seen.stream().distinct())
        .startsWith("listed list 10", "n ü € 😀", "l null", "n é")
        .contains("listed list 20");
    assertThat(lists).hasValue(2);
  }
}
