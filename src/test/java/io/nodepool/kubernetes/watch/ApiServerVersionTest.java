package io.nodepool.kubernetes.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.model.Observation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An API server that does not let the operator read its version. */
@Tag("slow")
class ApiServerVersionTest {
  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

  ApiServerVersionTest() throws IOException {}

  @AfterEach
  void end() {
    server.stop(0);
  }

  @Test
  void withoutTheRightToItAnOperatorDoesNotWaitForIt() throws Exception {
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(403, -1);
          exchange.close();
        });
    server.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .build();
    List<Observation> seen = new CopyOnWriteArrayList<>();
    try (KubernetesClient client =
            Clients.forWatches(config, new RequestMeter(new SimpleMeterRegistry()));
        ApiServerVersion version = new ApiServerVersion(client, seen::add)) {
      version.start();
      version.tried().get(60, TimeUnit.SECONDS);
    }

    assertThat(seen).isEmpty();
  }
}
