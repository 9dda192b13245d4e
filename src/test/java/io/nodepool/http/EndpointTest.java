package io.nodepool.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EndpointTest {
  private final AtomicBoolean healthy = new AtomicBoolean(true);
  private final AtomicBoolean ready = new AtomicBoolean();
  private final HttpClient http = HttpClient.newHttpClient();
  private final Endpoint endpoint;

  EndpointTest() throws IOException {
    endpoint =
        Endpoint.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.of(() -> "requests_total 3\n"),
            healthy::get,
            ready::get);
  }

  @AfterEach
  void stop() {
    endpoint.close();
    http.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return http.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(endpoint.port(), path)))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void metricsAreServedAsPrometheusText() throws Exception {
    HttpResponse<String> metrics = get("/metrics");

    assertThat(metrics.body()).isEqualTo("requests_total 3\n");
    assertThat(metrics.headers().firstValue("Content-Type"))
        .contains("text/plain; version=0.0.4; charset=utf-8");
  }

  @Test
  void probesReturnTheProbedState() throws Exception {
    assertThat(get("/healthz").statusCode()).isEqualTo(200);
    assertThat(get("/readyz").statusCode()).isEqualTo(503);

    healthy.set(false);
    ready.set(true);
    assertThat(get("/healthz").statusCode()).isEqualTo(503);
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
  }

  @Test
  void otherPagesAreNotFound() throws Exception {
    assertThat(get("/metrics/more").statusCode()).isEqualTo(404);
    assertThat(get("/").statusCode()).isEqualTo(404);
  }
}
