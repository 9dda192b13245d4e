package io.nodepool.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Serves {@code /metrics} in Prometheus' text format, with {@code /healthz} and {@code /readyz},
 * which return 200 or 503; or receives what clients post to one path.
 */
public final class Endpoint implements AutoCloseable {
  /** The path of the metrics. */
  public static final String METRICS = "/metrics";

  private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final String TEXT = "text/plain; charset=utf-8";

  /**
   * The properties that the JDK's server reads once for the process; the command line takes
   * precedence.
   */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          // Seconds: otherwise a client that sends or reads nothing holds its connection for ever.
          "sun.net.httpserver.maxReqTime", "10",
          "sun.net.httpserver.maxRspTime", "30",
          // Above this number, new connections are closed, so idle connections must end soon.
          "jdk.httpserver.maxConnections", "2048",
          "sun.net.httpserver.idleInterval", "2",
          // How often the server looks for idle connections, in milliseconds.
          "sun.net.httpserver.clockTick", "500",
          // The number of bytes of an unread body that are skipped: a connection that is closed
          // earlier may lose the answer.
          "sun.net.httpserver.drainAmount", Integer.toString(8 << 20),
          // Otherwise the body of an answer waits for the delayed acknowledgement of its head.
          "sun.net.httpserver.nodelay", "true");

  static {
    DEFAULTS.forEach(System.getProperties()::putIfAbsent);
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private Endpoint(HttpServer server) {
    this.server = server;
    server.setExecutor(threads);
  }

  /** Answers the requests that post something. */
  @FunctionalInterface
  public interface Receiver {
    /**
     * The answer to a request.
     *
     * @param authorization the header of this name; empty text if there is none
     * @param length the length that the client states, in bytes; -1 if it states none
     * @param body the body, which need not be read
     * @throws IOException if the body cannot be read; the connection is closed without an answer
     */
    Page receive(String authorization, long length, InputStream body) throws IOException;
  }

  /** Restricts who may read a page. */
  @FunctionalInterface
  public interface Access {
    /**
     * The answer to a client that may not read the page; empty for a client that may.
     *
     * @param authorization the header of this name; empty text if there is none
     */
    Optional<Page> refusal(String authorization);
  }

  /**
   * A response.
   *
   * @param retryAfter when the client may repeat the request, in seconds; 0 if the response does
   *     not state it
   */
  public record Page(int code, String type, String text, int retryAfter) {
    /** A line of text. */
    public static Page of(int code, String text) {
      return new Page(code, TEXT, text + "\n", 0);
    }

    /** A line of text for a client that repeats the request after these seconds. */
    public static Page later(int code, String text, int seconds) {
      return new Page(code, TEXT, text + "\n", seconds);
    }
  }

  /**
   * Starts the server.
   *
   * @param address the address; port 0 means any free port
   * @param metrics the metrics' text; empty if they are not served here
   * @throws IOException if the address cannot be used
   */
  public static Endpoint start(
      InetSocketAddress address,
      Optional<Supplier<String>> metrics,
      BooleanSupplier healthy,
      BooleanSupplier ready)
      throws IOException {
    Endpoint endpoint = new Endpoint(HttpServer.create(address, 0));
    metrics.ifPresent(
        text -> endpoint.serve(METRICS, _ -> new Page(200, METRICS_TYPE, text.get(), 0)));
    endpoint.serve("/healthz", _ -> probe(healthy));
    endpoint.serve("/readyz", _ -> probe(ready));
    endpoint.server.start();
    return endpoint;
  }

  /**
   * Starts a server of metrics alone, encrypted and for some clients.
   *
   * @param address the address; port 0 means any free port
   * @param metrics the metrics' text
   * @throws IOException if the address cannot be used
   */
  public static Endpoint protecting(
      InetSocketAddress address,
      ServingCertificate certificate,
      Supplier<String> metrics,
      Access access)
      throws IOException {
    Endpoint endpoint = new Endpoint(server(address, Optional.of(certificate)));
    endpoint.serve(
        METRICS,
        exchange ->
            access
                .refusal(authorization(exchange))
                .orElseGet(() -> new Page(200, METRICS_TYPE, metrics.get(), 0)));
    endpoint.server.start();
    return endpoint;
  }

  /**
   * Starts a server for what clients post to one path, with or without a slash at its end.
   *
   * @param address the address; port 0 means any free port
   * @param certificate the certificate with which the server encrypts; empty if it does not encrypt
   * @throws IOException if the address cannot be used
   */
  public static Endpoint receiving(
      InetSocketAddress address,
      Optional<ServingCertificate> certificate,
      String path,
      Receiver receiver)
      throws IOException {
    Endpoint endpoint = new Endpoint(server(address, certificate));
    endpoint.server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Page page = received(exchange, path, receiver);
            if (page.code() != 200) {
              // The rest of the body must not be read as the next request.
              exchange.getResponseHeaders().set("Connection", "close");
            }
            send(exchange, page);
          }
        });
    endpoint.server.start();
    return endpoint;
  }

  private static HttpServer server(
      InetSocketAddress address, Optional<ServingCertificate> certificate) throws IOException {
    if (certificate.isEmpty()) {
      return HttpServer.create(address, 0);
    }
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(new HttpsConfigurator(certificate.get().context()));
    return server;
  }

  private static Page received(HttpExchange exchange, String path, Receiver receiver)
      throws IOException {
    if (!exchange.getRequestURI().getPath().replaceFirst("/$", "").equals(path)) {
      return Page.of(404, "no such page; alerts are posted to " + path);
    }
    if (!exchange.getRequestMethod().equals("POST")) {
      exchange.getResponseHeaders().set("Allow", "POST");
      return Page.of(405, "alerts are posted");
    }
    Headers headers = exchange.getRequestHeaders();
    return receiver.receive(authorization(exchange), length(headers), exchange.getRequestBody());
  }

  private static String authorization(HttpExchange exchange) {
    return Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Authorization"), "");
  }

  private static long length(Headers headers) {
    String stated = headers.getFirst("Content-Length");
    return stated != null && stated.matches("[0-9]{1,18}") ? Long.parseLong(stated) : -1;
  }

  private static Page probe(BooleanSupplier good) {
    return good.getAsBoolean() ? Page.of(200, "ok") : Page.of(503, "not ok");
  }

  private void serve(String path, Function<HttpExchange, Page> page) {
    server.createContext(
        path,
        exchange -> {
          try (exchange) {
            boolean known = exchange.getRequestURI().getPath().equals(path);
            send(exchange, known ? page.apply(exchange) : Page.of(404, "no such page"));
          }
        });
  }

  private static void send(HttpExchange exchange, Page page) throws IOException {
    byte[] body = page.text().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", page.type());
    if (page.code() == 401) {
      exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
    }
    if (page.retryAfter() > 0) {
      exchange.getResponseHeaders().set("Retry-After", Integer.toString(page.retryAfter()));
    }
    exchange.sendResponseHeaders(page.code(), body.length);
    exchange.getResponseBody().write(body);
    // Closing first reads what the client still sends.
    exchange.getResponseBody().flush();
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
