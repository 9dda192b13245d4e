package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.health.Signal;
import io.nodepool.http.BearerToken;
import io.nodepool.http.ServingCertificate;
import io.nodepool.http.TestCertificates;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.vocabulary.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The receiver on a real API server. */
@WithLocalCluster
class ReceiverIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String TOKEN = "the-token-of-the-test";
  private static final Instant START = Instant.parse("2026-11-26T18:00:00Z");
  private static final String SINCE = START.toString();
  private static final String END = START.plusSeconds(600).toString();
  private static final String KEY = "alertmanager.gpu3.GPUFallenOffBus";
  private static final String[] LABELS = {"alertname=GPUFallenOffBus", "node=g1", "gpu=3"};

  private final Config config;
  private final KubernetesClient admin;
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final List<ReceiverRuntime> replicas = new ArrayList<>();

  @TempDir private Path folder;
  private HttpClient http;
  private ReceiverRuntime receiver;

  ReceiverIT(LocalCluster cluster, KubernetesClient admin) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
  }

  @BeforeEach
  void start() throws Exception {
    TestCluster.prepare(admin);
    X509Certificate certificate = TestCertificates.write(folder, "EC");
    Files.writeString(folder.resolve("token"), TOKEN);
    http = HttpClient.newBuilder().sslContext(TestCertificates.trusting(certificate)).build();
    TestCluster.freeHost(admin, "g1");
    receiver = replica(meters);
  }

  @AfterEach
  void end() {
    replicas.forEach(ReceiverRuntime::close);
    http.close();
    admin.resources(HostSignalsResource.class).delete();
    admin.resources(HostResource.class).delete();
    await()
        .atMost(SOON)
        .until(() -> admin.resources(HostResource.class).list().getItems().isEmpty());
  }

  private ReceiverRuntime replica(MeterRegistry registry) throws IOException {
    ReceiverRuntime started =
        ReceiverRuntime.start(
            config,
            new ReceiverRuntime.Options(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new BearerToken(folder.resolve("token")),
                Optional.of(new ServingCertificate(folder)),
                OperatorRuntime.NAMESPACE,
                () -> START.plus(Duration.ofHours(1)),
                registry));
    replicas.add(started);
    await().atMost(SOON).until(started::isReady);
    return started;
  }

  private HttpRequest request(ReceiverRuntime to, String token, String body) {
    return HttpRequest.newBuilder(
            URI.create("https://127.0.0.1:%d%s".formatted(to.port(), ReceiverRuntime.PATH)))
        .header("Authorization", "Bearer " + token)
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private HttpResponse<String> post(ReceiverRuntime to, String token, String body)
      throws Exception {
    return http.send(request(to, token, body), HttpResponse.BodyHandlers.ofString());
  }

  /** The answer to a notification of these alerts. */
  private String sent(ReceiverRuntime to, String... alerts) throws Exception {
    HttpResponse<String> response = post(to, TOKEN, Bodies.of(alerts));
    return response.statusCode() + " " + response.body().strip();
  }

  private Optional<HostSignalsResource> object(String host) {
    return Optional.ofNullable(admin.resources(HostSignalsResource.class).withName(host).get());
  }

  private HostSignalsResource stored(String host) {
    return object(host).orElseThrow();
  }

  private HostSignalsSpec.Entry entry(String host, String key) {
    return Objects.requireNonNull(stored(host).getSpec().signals.get(key));
  }

  private double writes() {
    return meters.find(Metric.API_REQUESTS.id()).counters().stream()
        .filter(counter -> !List.of("list", "watch").contains(counter.getId().getTag("verb")))
        .mapToDouble(Counter::count)
        .sum();
  }

  @Test
  void anAlertIsStoredOnceAndEnds() throws Exception {
    assertThat(sent(receiver, Bodies.firing(SINCE, LABELS))).isEqualTo("200 1 alert: 1 stored");

    HostSignalsResource object = stored("g1");
    assertThat(object.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner ->
            assertThat(owner.getUid())
                .isEqualTo(
                    admin
                        .resources(HostResource.class)
                        .withName("g1")
                        .get()
                        .getMetadata()
                        .getUid()));
    assertThat(entry("g1", KEY).since).isEqualTo(SINCE);
    assertThat(entry("g1", KEY).message).isEqualTo("Xid 79 on GPU 3");
    assertThat(writes()).isEqualTo(1);

    assertThat(sent(receiver, Bodies.firing(SINCE, LABELS))).isEqualTo("200 1 alert: 1 unchanged");
    assertThat(writes()).as("a repeat writes nothing").isEqualTo(1);

    assertThat(sent(receiver, Bodies.resolved(SINCE, END, LABELS)))
        .isEqualTo("200 1 alert: 1 stored");
    assertThat(entry("g1", KEY).endedAt).isEqualTo(END);
    assertThat(sent(receiver, Bodies.resolved(SINCE, END, LABELS)))
        .isEqualTo("200 1 alert: 1 unchanged");
    assertThat(sent(receiver, Bodies.firing(END, LABELS))).isEqualTo("200 1 alert: 1 stored");
    assertThat(entry("g1", KEY).since).isEqualTo(END);
    assertThat(entry("g1", KEY).endedAt).as("a new occurrence has not ended").isNull();
    assertThat(writes()).isEqualTo(3);
  }

  @Test
  void whatAnotherReplicaStoredIsKnown() throws Exception {
    SimpleMeterRegistry others = new SimpleMeterRegistry();
    ReceiverRuntime other = replica(others);
    sent(receiver, Bodies.firing(SINCE, LABELS));
    // A repeat is right wherever it goes; once the other replica has seen the object, it writes
    // nothing.
    await()
        .atMost(SOON)
        .until(() -> sent(other, Bodies.firing(SINCE, LABELS)).equals("200 1 alert: 1 unchanged"));

    assertThat(sent(other, Bodies.resolved(SINCE, END, LABELS))).isEqualTo("200 1 alert: 1 stored");
    assertThat(entry("g1", KEY).endedAt).isEqualTo(END);
  }

  @Test
  void signalsOfOtherSourcesStay() throws Exception {
    write("g1", "monitor", 2, "DCGMSRAMThresholdExceeded");
    String[] another = {"alertname=GPUVeryHot", "node=g1"};
    assertThat(sent(receiver, Bodies.firing(SINCE, LABELS), Bodies.firing(SINCE, another)))
        .isEqualTo("200 2 alerts: 2 stored");

    assertThat(stored("g1").getSpec().signals).hasSize(4);
  }

  /** Writes signals about a Host as another source. */
  private void write(String host, String source, int number, String name) {
    HostSignalsResource object = new HostSignalsResource();
    object.setMetadata(new ObjectMetaBuilder().withName(host).build());
    HostSignalsSpec spec = new HostSignalsSpec();
    for (int i = 0; i < number; i++) {
      HostSignalsSpec.Entry entry = new HostSignalsSpec.Entry();
      entry.since = START.plusSeconds(i).toString();
      spec.signals.put("%s.part%d.%s".formatted(source, i, name), entry);
    }
    object.setSpec(spec);
    admin.resource(object).create();
  }

  @Test
  void inAFullObjectAStrongerSignalTakesThePlaceOfTheOldestOfTheWeakest() throws Exception {
    write("g1", "monitor", Signal.MOST, "Unknown");

    assertThat(sent(receiver, Bodies.firing(SINCE, LABELS))).isEqualTo("200 1 alert: 1 stored");
    assertThat(stored("g1").getSpec().signals)
        .hasSize(Signal.MOST)
        .containsKey(KEY)
        .doesNotContainKey("monitor.part0.Unknown");
    assertThat(displaced("weaker")).isEqualTo(1);

    assertThat(sent(receiver, Bodies.firing(SINCE, "alertname=AlsoUnknown", "node=g1")))
        .startsWith("503 1 alert: 1 not stored (HostSignals g1 holds 64 signals, ");
    assertThat(displaced("refused")).isEqualTo(1);

    assertThat(sent(receiver, Bodies.resolved(SINCE, END, LABELS)))
        .isEqualTo("200 1 alert: 1 stored");
    assertThat(sent(receiver, Bodies.firing(SINCE, "alertname=AlsoUnknown", "node=g1")))
        .isEqualTo("200 1 alert: 1 stored");
    assertThat(stored("g1").getSpec().signals).doesNotContainKey(KEY);
    assertThat(displaced("ended")).isEqualTo(1);
  }

  private double displaced(String reason) {
    return meters.get(Metric.RECEIVER_DISPLACED.id()).tag("reason", reason).counter().count();
  }

  @Test
  void anObjectThatIsDeletedIsWrittenAnew() throws Exception {
    sent(receiver, Bodies.firing(SINCE, LABELS));
    admin.resources(HostSignalsResource.class).withName("g1").delete();

    await()
        .atMost(SOON)
        .until(() -> {
          sent(receiver, Bodies.firing(SINCE, LABELS));
          return object("g1").isPresent();
        });
    assertThat(entry("g1", KEY).since).isEqualTo(SINCE);
  }

  @Test
  void aHostThatReplacesAnotherOfItsNameHasItsOwnSignals() throws Exception {
    sent(receiver, Bodies.firing(SINCE, LABELS));
    String before = stored("g1").getMetadata().getUid();
    admin.resources(HostResource.class).withName("g1").delete();
    await()
        .atMost(SOON)
        .until(() -> admin.resources(HostResource.class).withName("g1").get() == null);
    TestCluster.freeHost(admin, "g1");

    String[] another = {"alertname=GPUVeryHot", "node=g1"};
    await()
        .atMost(SOON)
        .until(() ->
            sent(receiver, Bodies.firing(SINCE, another)).startsWith("200")
                && object("g1").isPresent()
                && !stored("g1").getMetadata().getUid().equals(before));
    assertThat(stored("g1").getSpec().signals).containsOnlyKeys("alertmanager.host.GPUVeryHot");
  }

  @Test
  void whatHasNoEffectIsAnsweredAndWhatIsWrongRefused() throws Exception {
    assertThat(
            sent(
                receiver,
                Bodies.firing(SINCE, "alertname=A", "node=absent"),
                Bodies.firing(SINCE, "alertname=A", "job=x"),
                Bodies.firing(START.plus(Duration.ofMinutes(66)).toString(), LABELS)))
        .isEqualTo(
            "200 3 alerts: 1 without a label that names a machine, 1 about unknown machines, 1 with a time ahead of the operator's clock");
    assertThat(post(receiver, "wrong-token-of-the-test", Bodies.of()).statusCode()).isEqualTo(401);
    assertThat(post(receiver, TOKEN, " ".repeat(5 << 20)).statusCode()).isEqualTo(413);
    assertThat(post(receiver, TOKEN, "[]").statusCode()).isEqualTo(400);
    assertThat(object("g1")).isEmpty();
  }

  @Test
  void whatAReplicaThatEndsDidNotAnswerIsStoredByARepeat() throws Exception {
    List<String> names = IntStream.range(0, 200).mapToObj(i -> "m" + i).toList();
    names.parallelStream().forEach(name -> TestCluster.freeHost(admin, name));
    List<String> alerts =
        names.stream()
            .map(name -> Bodies.firing(SINCE, "alertname=GPUVeryHot", "node=" + name))
            .toList();
    ReceiverRuntime ending = replica(new SimpleMeterRegistry());
    CompletableFuture<HttpResponse<String>> first =
        http.sendAsync(
            request(ending, TOKEN, Bodies.of(alerts)), HttpResponse.BodyHandlers.ofString());
    await().atMost(SOON).until(() -> object("m0").isPresent() || first.isDone());
    ending.close();
    first.handle((_, _) -> true).join();

    // It repeats what is refused, and what came before the receiver had observed all Hosts.
    await()
        .atMost(SOON)
        .untilAsserted(() -> {
          assertThat(sent(receiver, alerts.toArray(String[]::new))).startsWith("200 200 alerts:");
          assertThat(names).allSatisfy(name -> assertThat(object(name)).isPresent());
        });
  }
}
