package io.nodepool.kubernetes.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.operator.ClusterWatches;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.model.Observation;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * An API server without the definition of Hosts, at the start of an operator or later, or one that
 * does not let the operator read its version.
 */
@Tag("slow")
class HostsDefinitionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HOSTS = "/apis/fleet.nodepool.io/v1alpha1/hosts";

  private final HttpServer server =
      HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CountDownLatch over = new CountDownLatch(1);
  private final CountDownLatch deletion = new CountDownLatch(1);
  private final List<Observation> seen = new CopyOnWriteArrayList<>();
  private volatile boolean defined;
  private volatile boolean versionIsForbidden;
  private volatile boolean isWatched;

  HostsDefinitionTest() throws IOException {}

  @BeforeEach
  void begin() {
    server.setExecutor(threads);
    server.createContext("/", this::serve);
    server.start();
  }

  @AfterEach
  void end() {
    over.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private void serve(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    boolean ofHosts = path.startsWith("/apis/fleet.nodepool.io/");
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    boolean forbidden = path.equals("/version") && versionIsForbidden;
    exchange.sendResponseHeaders(ofHosts && !defined ? 404 : forbidden ? 403 : 200, 0);
    try (OutputStream out = exchange.getResponseBody()) {
      if (ofHosts && !defined) {
        write(out, "404 page not found");
      } else if (query.contains("watch=true")) {
        out.flush();
        watch(path, out);
      } else if (path.equals(HOSTS)) {
        write(
            out,
            "{\"kind\":\"HostList\",\"apiVersion\":\"fleet.nodepool.io/v1alpha1\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[%s]}"
                .formatted(host()));
      } else if (ofHosts) {
        write(
            out,
            "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"fleet.nodepool.io/v1alpha1\",\"resources\":[{\"name\":\"hosts\",\"verbs\":[\"get\",\"patch\"]}]}");
      } else if (path.equals("/version")) {
        write(out, "{\"gitVersion\":\"v1.34.4\"}");
      } else {
        write(
            out,
            "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[]}");
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** The watch of Hosts reports that the Host was deleted, and ends with the definition. */
  private void watch(String path, OutputStream out) throws IOException, InterruptedException {
    if (!path.equals(HOSTS) || deletion.getCount() == 0) {
      over.await();
      return;
    }
    isWatched = true;
    deletion.await();
    defined = false;
    write(out, "{\"type\":\"DELETED\",\"object\":%s}\n".formatted(host()));
    out.flush();
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String host() {
    return "{\"kind\":\"Host\",\"apiVersion\":\"fleet.nodepool.io/v1alpha1\",\"metadata\":{\"name\":\"g1\",\"uid\":\"h-1\",\"resourceVersion\":\"7\"},\"spec\":{\"tenancy\":3,\"machine\":{\"instanceType\":\"t\"}},\"status\":{\"phase\":\"Free\"}}";
  }

  private void run(Runnable what) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .withWatchReconnectInterval(10)
            .build();
    RequestMeter meter = new RequestMeter(new SimpleMeterRegistry());
    try (FairLanes lanes = new FairLanes(4, Duration.ZERO);
        KubernetesClient client = Clients.forRequests(config, meter);
        KubernetesClient watching = Clients.forWatches(config, meter);
        ClusterWatches watches =
            new ClusterWatches(
                watching,
                new HostFleet(
                    new ApiRequests(client, () -> true), lanes, watching, "system", seen::add),
                "system",
                seen::add)) {
      watches.start();
      await().atMost(PATIENCE).until(watches.listed()::isDone);
      what.run();
    }
  }

  private List<Boolean> missing() {
    return seen.stream()
        .filter(Observation.HostsDefined.class::isInstance)
        .map(each -> ((Observation.HostsDefined) each).missing().isPresent())
        .toList();
  }

  private boolean isHostSeen() {
    return seen.stream().anyMatch(Observation.HostSeen.class::isInstance);
  }

  @Test
  void anOperatorThatStartsWithoutItKnowsThatAndLaterThatItIsBack() {
    run(() -> {
      assertThat(missing()).containsExactly(true);
      defined = true;
      await().atMost(PATIENCE).until(() -> missing().size() == 2);
      assertThat(missing()).containsExactly(true, false);
      assertThat(isHostSeen()).isTrue();
    });
  }

  @Test
  void itsDeletionIsKnownAtOnceAndItsReturn() {
    defined = true;
    run(() -> {
      assertThat(missing()).isEmpty();
      assertThat(isHostSeen()).isTrue();
      // A watch that is opened later would not be told.
      await().atMost(PATIENCE).until(() -> isWatched);
      deletion.countDown();
      await().atMost(PATIENCE).until(() -> missing().size() == 1);
      defined = true;
      await().atMost(PATIENCE).until(() -> missing().size() == 2);
      assertThat(missing()).containsExactly(true, false);
    });
  }

  @Test
  void anOperatorWithoutTheRightToTheVersionListsAllTheSame() {
    defined = true;
    versionIsForbidden = true;
    run(() -> {
      assertThat(isHostSeen()).isTrue();
      assertThat(seen).noneMatch(Observation.ApiServerSeen.class::isInstance);
    });
  }
}
