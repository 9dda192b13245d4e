package io.nodepool.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} in Prometheus' text format, and {@code /healthz} and {@code /readyz},
 * which return 200 or 503.
 */
public final class Endpoint implements AutoCloseable {
  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  static {
    // The server reads these once, in seconds: without them, a client that sends or reads nothing
    // holds its connection for ever.
    limit("sun.net.httpserver.maxReqTime", 10);
    limit("sun.net.httpserver.maxRspTime", 30);
    limit("jdk.httpserver.maxConnections", 256);
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private Endpoint(HttpServer server) {
    this.server = server;
  }

  private static void limit(String property, int value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, Integer.toString(value));
    }
  }

  /** A response: code, type, text. */
  private record Page(int code, String type, String text) {}

  /**
   * Starts the server.
   *
   * @param address the address; port 0 means any free port
   * @param metrics the metrics' text
   * @throws IOException if the address cannot be used
   */
  public static Endpoint start(
      InetSocketAddress address,
      Supplier<String> metrics,
      BooleanSupplier healthy,
      BooleanSupplier ready)
      throws IOException {
    Endpoint endpoint = new Endpoint(HttpServer.create(address, 0));
    endpoint.server.setExecutor(endpoint.threads);
    endpoint.serve("/metrics", () -> new Page(200, METRICS_TYPE, metrics.get()));
    endpoint.serve("/healthz", () -> probe(healthy));
    endpoint.serve("/readyz", () -> probe(ready));
    endpoint.server.start();
    return endpoint;
  }

  private static Page probe(BooleanSupplier good) {
    return good.getAsBoolean() ? new Page(200, TEXT, "ok\n") : new Page(503, TEXT, "not ok\n");
  }

  private void serve(String path, Supplier<Page> page) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            boolean known = exchange.getRequestURI().getPath().equals(path);
            send(exchange, known ? page.get() : new Page(404, TEXT, "no such page\n"));
          }
        });
  }

  private static void send(HttpExchange exchange, Page page) throws IOException {
    byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", page.type());
    exchange.sendResponseHeaders(page.code(), body.length);
    exchange.getResponseBody().write(body);
  }

  /** The port of the server. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
