package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.leader.LeaderElection;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.kubernetes.watch.KindWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log lines of the operator and its libraries while an API server is unavailable. */
@Tag("slow")
class OutageTest {
  private static final int TRIES = 6;

  private final HttpServer server;
  private final AtomicInteger asked = new AtomicInteger();
  private CountDownLatch answering = new CountDownLatch(0);
  private final Config config;
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  private final Lines lines;

  /** Keeps what is logged from {@code WARN} on. */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private static final Pattern QUIETED =
        Pattern.compile("logger name=\"(\\S+)\" level=\"ERROR\"");

    final List<String> warnings = new CopyOnWriteArrayList<>();
    final List<String> traces = new CopyOnWriteArrayList<>();
    private final Set<String> quieted;

    Lines() throws IOException {
      String configuration = Files.readString(Path.of("src/main/resources/logback.xml"));
      quieted =
          QUIETED
              .matcher(configuration)
              .results()
              .map(found -> found.group(1))
              .collect(Collectors.toSet());
    }

    @Override
    protected void append(ILoggingEvent event) {
      if (quieted.contains(event.getLoggerName()) && event.getLevel() != Level.ERROR) {
        return;
      }
      if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
        warnings.add(event.getLoggerName() + ": " + event.getFormattedMessage());
      }
      if (event.getThrowableProxy() != null) {
        traces.add(event.getLoggerName() + ": " + event.getFormattedMessage());
      }
    }
  }

  OutageTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .withWatchReconnectInterval(10)
            .build();
    lines = new Lines();
  }

  @BeforeEach
  void begin() {
    server.createContext(
        "/",
        exchange -> {
          asked.incrementAndGet();
          await().until(() -> answering.getCount() == 0);
          exchange.sendResponseHeaders(503, -1);
          exchange.close();
        });
    server.start();
    lines.start();
    root.addAppender(lines);
  }

  @AfterEach
  void end() {
    root.detachAppender(lines);
    server.stop(0);
  }

  private void awaitTries() {
    int before = asked.get();
    await().atMost(Duration.ofSeconds(60)).until(() -> asked.get() >= before + TRIES);
  }

  @Test
  void aWatchLogsOnceThatItIsRetried() {
    try (KubernetesClient client =
            Clients.forWatches(config, new RequestMeter(new SimpleMeterRegistry()));
        KindWatch<ConfigMap> watch =
            new KindWatch<>(
                "ConfigMap",
                client.configMaps().inNamespace("default"),
                map -> new ConfigMapBuilder().build(),
                map -> {},
                map -> {})) {
      watch.start();
      awaitTries();
    }
    assertThat(lines.warnings).hasSize(1).first().asString().contains("the watch of ConfigMaps");
    assertThat(lines.traces).isEmpty();
  }

  /** The watches of a standby are closed when it ends, whatever they are doing. */
  @Test
  void aWatchThatIsClosedLogsNothingOfItsLastRequest() throws InterruptedException {
    answering = new CountDownLatch(1);
    KubernetesClient client =
        Clients.forWatches(config, new RequestMeter(new SimpleMeterRegistry()));
    KindWatch<ConfigMap> watch =
        new KindWatch<>(
            "ConfigMap",
            client.configMaps().inNamespace("default"),
            map -> new ConfigMapBuilder().build(),
            map -> {},
            map -> {});
    watch.start();
    await().until(() -> asked.get() > 0);
    watch.close();
    client.close();
    answering.countDown();
    server.stop(1);

    assertThat(lines.warnings).isEmpty();
    assertThat(lines.traces).isEmpty();
  }

  @Test
  void aStandbyLogsOnceThatTheLeaseCannotBeRead() {
    try (KubernetesClient client =
            Clients.forLease(config, new RequestMeter(new SimpleMeterRegistry()));
        Leadership waiting =
            new Leadership(
                client,
                "a",
                InstantSource.system(),
                System::nanoTime,
                new LeaderElection.Terms(
                    LeaderElection.Rivals.POSSIBLE, Duration.ofMinutes(10), ""),
                new Silent())) {
      waiting.start();
      awaitTries();
    }
    assertThat(lines.warnings)
        .hasSize(1)
        .first()
        .asString()
        .contains("the Lease cannot be read or written: HTTP 503");
    assertThat(lines.traces).isEmpty();
  }

  private static final class Silent implements LeaderElection.Events {
    @Override
    public void waits() {}

    @Override
    public void resumed(Instant at) {}

    @Override
    public void won() {}

    @Override
    public void lost() {}
  }
}
