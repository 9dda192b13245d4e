package io.nodepool.receiver.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.http.TestCertificates;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A real Alertmanager with the configuration that ships as an example notifies real processes of
 * the operator. Monitors are played, which post alerts to Alertmanager. What is checked is read
 * from the API server and from Alertmanager.
 */
@Tag("monitoring")
@ExtendWith(LocalClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AlertmanagerIT {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final String TOKEN = "the-token-of-the-test";
  private static final String HOT = "GPUVeryHot";
  private static final int NODES = 200;

  /** Longer than any test: what arrives was sent, or sent again, in the first notification. */
  private static final String NEVER = "1h";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final List<AutoCloseable> started = new ArrayList<>();

  @TempDir private Path folder;
  private MonitoredNodes nodes;
  private List<String> names;
  private Iterator<String> unused;

  AlertmanagerIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void growNodes(@TempDir Path first) throws IOException {
    nodes = new MonitoredNodes(cluster, admin, NODES);
    prepare(first);
    try (ReceivingOperator _ = ReceivingOperator.start(cluster, first, "growing", 0)) {
      names = nodes.names(NODES);
    }
    assertThat(names).hasSize(NODES);
    unused = names.iterator();
  }

  @BeforeEach
  void prepareFolder() throws IOException {
    prepare(folder);
  }

  private static void prepare(Path folder) throws IOException {
    TestCertificates.write(folder, "EC");
    Files.writeString(folder.resolve("token"), TOKEN);
  }

  @AfterEach
  void end() throws Exception {
    for (AutoCloseable each : started.reversed()) {
      each.close();
    }
    started.clear();
    nodes.forgetLeader();
    nodes.forgetSignals();
  }

  @AfterAll
  void removeNodes() {
    nodes.close();
  }

  private ReceivingOperator operator(String name, int port) throws IOException {
    ReceivingOperator operator = ReceivingOperator.start(cluster, folder, name, port);
    started.add(operator);
    return operator;
  }

  private ReceivingOperator operator() throws IOException {
    return operator("operator", 0);
  }

  private ExampleConfiguration example(ReceivingOperator to) {
    return new ExampleConfiguration(to.port(), folder);
  }

  private AlertmanagerProcess alertmanager(ExampleConfiguration configuration) throws IOException {
    AlertmanagerProcess alertmanager = AlertmanagerProcess.start(folder, configuration);
    started.add(alertmanager);
    return alertmanager;
  }

  /** As monitors write it. */
  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.MILLIS);
  }

  /** A time as it is stored: in whole seconds. */
  private static String stored(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private static PostedAlert hot(String node) {
    return PostedAlert.firing(HOT, node, now());
  }

  private static void eventually(ThrowingRunnable assertion) {
    await().atMost(SOON).pollInterval(Duration.ofMillis(100)).untilAsserted(assertion);
  }

  @Test
  void anAlertIsShownOnItsNodeAndEnds() throws Exception {
    AlertmanagerProcess alertmanager = alertmanager(example(operator()).waiting("0s", "1s", NEVER));
    String node = unused.next();
    PostedAlert alert = hot(node).with("gpu", "3").with("severity", "warning");
    String key = "alertmanager.gpu3.GPUVeryHot";

    alertmanager.post(alert);

    eventually(() -> assertThat(nodes.reported()).containsExactly(node));
    HostSignalsSpec.Entry entry = nodes.signal(node, key);
    assertThat(entry.since).isEqualTo(stored(alert.start()));
    assertThat(entry.endedAt).isNull();
    assertThat(entry.severity).isEqualTo("warning");
    assertThat(entry.message).isEqualTo(alert.summary());
    eventually(() -> assertThat(nodes.showing(HOT)).contains(node));
    assertThat(nodes.condition(node, HOT).orElseThrow().getMessage()).contains("alertmanager");
    eventually(() -> assertThat(nodes.triggered(node, HOT)).hasSize(1));
    assertThat(alertmanager.active("node")).containsExactly(node);

    Instant end = now();
    alertmanager.post(alert.resolved(end));

    eventually(() -> assertThat(nodes.signal(node, key).endedAt).isEqualTo(stored(end)));
    assertThat(nodes.signal(node, key).since).isEqualTo(stored(alert.start()));
    eventually(() -> assertThat(alertmanager.active("node")).isEmpty());
    assertThat(alertmanager.notifications()).isEqualTo(2);
    assertThat(alertmanager.givenUp()).isZero();
  }

  @Test
  void aRepeatWritesNothing() throws Exception {
    AlertmanagerProcess alertmanager = alertmanager(example(operator()).waiting("0s", "1s", "1s"));
    String node = unused.next();
    alertmanager.post(hot(node));
    eventually(() -> assertThat(nodes.triggered(node, HOT)).hasSize(1));
    eventually(() -> assertThat(nodes.showing(HOT)).contains(node));
    String version = nodes.signals(node).orElseThrow().getMetadata().getResourceVersion();
    List<Event> events = nodes.triggered(node, HOT);
    long writes = nodes.writes();
    assertThat(writes).isPositive();
    long answered = alertmanager.answered();

    eventually(() -> assertThat(alertmanager.answered()).isGreaterThanOrEqualTo(answered + 4));

    assertThat(alertmanager.givenUp()).isZero();
    assertThat(nodes.writes()).isEqualTo(writes);
    assertThat(nodes.signals(node).orElseThrow().getMetadata().getResourceVersion())
        .isEqualTo(version);
    assertThat(nodes.triggered(node, HOT)).isEqualTo(events);
  }

  /** Grouped by the name alone, unlike the example. */
  @Test
  void oneNotificationIsAbout200Nodes() throws Exception {
    String name = "NodeMemoryError";
    AlertmanagerProcess alertmanager =
        alertmanager(example(operator()).groupedByNameAlone().waiting("10s", "1s", NEVER));
    List<PostedAlert> alerts =
        names.stream().map(node -> PostedAlert.firing(name, node, now())).toList();

    alertmanager.post(alerts);

    eventually(() -> assertThat(nodes.reported()).containsExactlyInAnyOrderElementsOf(names));
    assertThat(alertmanager.groupsOf("nodepool")).containsExactly(NODES);
    assertThat(alertmanager.notifications()).isEqualTo(1);
    eventually(() -> assertThat(nodes.showing(name)).containsExactlyInAnyOrderElementsOf(names));
    eventually(() ->
        assertThat(nodes.triggered(name))
            .extracting(event -> event.getInvolvedObject().getName())
            .containsExactlyInAnyOrderElementsOf(names));

    Instant end = now();
    alertmanager.post(alerts.stream().map(alert -> alert.resolved(end)).toList());

    eventually(() ->
        assertThat(names)
            .allSatisfy(node ->
                assertThat(nodes.signal(node, "alertmanager.host." + name).endedAt).isNotNull()));
    assertThat(alertmanager.givenUp()).isZero();
  }

  @Test
  void asManyNotificationsAtOnceAsThereAreNodesAreAllStored() throws Exception {
    String name = "NodePCIErrorH100GPU";
    AlertmanagerProcess alertmanager =
        alertmanager(example(operator()).waiting("0s", NEVER, NEVER));

    alertmanager.post(names.stream().map(node -> PostedAlert.firing(name, node, now())).toList());

    eventually(() -> assertThat(nodes.reported()).containsExactlyInAnyOrderElementsOf(names));
    assertThat(alertmanager.groupsOf("nodepool")).hasSize(NODES).containsOnly(1);
    eventually(() -> assertThat(nodes.showing(name)).containsExactlyInAnyOrderElementsOf(names));
    assertThat(alertmanager.notifications()).isEqualTo(NODES);
    assertThat(alertmanager.givenUp()).isZero();
  }

  @Test
  void anAlertAboutAnUnknownNodeHasNoEffect() throws Exception {
    AlertmanagerProcess alertmanager =
        alertmanager(example(operator()).waiting("0s", NEVER, NEVER));
    String node = unused.next();

    alertmanager.post(hot("absent"));
    eventually(() -> assertThat(alertmanager.answered()).isEqualTo(1));
    alertmanager.post(hot(node));

    eventually(() -> assertThat(nodes.showing(HOT)).contains(node));
    assertThat(alertmanager.active("node")).containsExactlyInAnyOrder("absent", node);
    assertThat(nodes.reported()).containsExactly(node);
    assertThat(nodes.triggered("absent", HOT)).isEmpty();
    assertThat(admin.nodes().withName("absent").get()).isNull();
    assertThat(alertmanager.notifications()).isEqualTo(2);
    assertThat(alertmanager.givenUp()).isZero();
  }

  @Test
  void withAWrongTokenNothingIsStoredUntilItIsRight() throws Exception {
    ReceivingOperator operator = operator();
    Path wrong = Files.createDirectory(folder.resolve("wrong"));
    Files.writeString(wrong.resolve("token"), "another-token-of-the-test");
    Files.copy(folder.resolve("tls.crt"), wrong.resolve("tls.crt"));
    AlertmanagerProcess alertmanager =
        alertmanager(new ExampleConfiguration(operator.port(), wrong).waiting("0s", "1s", NEVER));
    String node = unused.next();

    alertmanager.post(hot(node));

    // It tries again with the next notification of the group.
    eventually(() -> assertThat(alertmanager.refused()).isGreaterThanOrEqualTo(2));
    assertThat(alertmanager.log()).contains("unexpected status code 401");
    assertThat(nodes.reported()).isEmpty();

    Files.copy(
        folder.resolve("token"), wrong.resolve("token"), StandardCopyOption.REPLACE_EXISTING);

    eventually(() -> assertThat(nodes.showing(HOT)).contains(node));
    assertThat(nodes.reported()).containsExactly(node);
  }

  /** What is too large of a notification. */
  enum TooLarge {
    ALERTS(2001, 10),
    BYTES(1000, 5000);

    private final int alerts;
    private final int summary;

    TooLarge(int alerts, int summary) {
      this.alerts = alerts;
      this.summary = summary;
    }

    List<PostedAlert> about(String node) {
      PostedAlert alert = hot(node).saying("x".repeat(summary));
      return IntStream.range(0, alerts).mapToObj(i -> alert.with("device", "part" + i)).toList();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aNotificationThatIsTooLargeIsRefusedAndOthersAreStored(TooLarge what) throws Exception {
    AlertmanagerProcess alertmanager =
        alertmanager(example(operator()).waiting("5s", NEVER, NEVER));
    String node = unused.next();
    String other = unused.next();

    alertmanager.post(what.about(node));

    eventually(() -> assertThat(alertmanager.refused()).isEqualTo(1));
    assertThat(alertmanager.log())
        .containsPattern("retry canceled due to unrecoverable error .*unexpected status code 413");
    assertThat(alertmanager.notifications()).isEqualTo(1);
    assertThat(alertmanager.answered()).isZero();

    alertmanager.post(hot(other));

    eventually(() -> assertThat(nodes.showing(HOT)).contains(other));
    assertThat(nodes.reported()).containsExactly(other);
    assertThat(nodes.showing(HOT)).doesNotContain(node);
  }

  @Test
  void whatAKilledOperatorDidNotAnswerIsStoredByTheRetry() throws Exception {
    ReceivingOperator killed = operator("killed", 0);
    AlertmanagerProcess alertmanager =
        alertmanager(example(killed).groupedByNameAlone().waiting("5s", NEVER, NEVER));
    List<String> about = IntStream.range(0, 10).mapToObj(_ -> unused.next()).toList();
    Set<String> held = new HashSet<>(about.subList(5, 10));

    try (HeldWrites writes = new HeldWrites(admin, folder, held::contains)) {
      alertmanager.post(about.stream().map(AlertmanagerIT::hot).toList());
      // It has received the notification and stored a part of it; it cannot have answered.
      eventually(() -> {
        assertThat(nodes.reported()).containsExactlyInAnyOrderElementsOf(about.subList(0, 5));
        assertThat(writes.waiting()).isEqualTo(held);
      });
      killed.kill();
      assertThat(nodes.reported()).containsExactlyInAnyOrderElementsOf(about.subList(0, 5));
      eventually(() -> assertThat(alertmanager.failedRequests()).isPositive());
    }
    nodes.forgetLeader();
    operator("next", killed.port());

    eventually(() -> assertThat(nodes.reported()).containsExactlyInAnyOrderElementsOf(about));
    eventually(() -> assertThat(nodes.showing(HOT)).containsAll(about));
    assertThat(alertmanager.groupsOf("nodepool")).containsExactly(10);
    assertThat(alertmanager.notifications()).as("only requests were repeated").isEqualTo(1);
    assertThat(alertmanager.givenUp()).isZero();
  }

  @Test
  void whatOneThatDoesNotLeadReceivedIsShownByItsLeaderAndByTheNext() throws Exception {
    ReceivingOperator first = operator("first", 0);
    eventually(() -> assertThat(nodes.leader()).startsWith("first-"));
    String leader = nodes.leader();
    ReceivingOperator second = operator("second", 0);
    AlertmanagerProcess alertmanager = alertmanager(example(second).waiting("0s", "1s", NEVER));
    String one = unused.next();
    String other = unused.next();

    alertmanager.post(hot(one));
    eventually(() -> assertThat(nodes.showing(HOT)).contains(one));
    assertThat(nodes.leader()).isEqualTo(leader);

    first.kill();
    nodes.keepLease();
    assertThat(nodes.leader()).isEqualTo(leader);
    alertmanager.post(hot(other));
    eventually(() -> assertThat(nodes.reported()).containsExactlyInAnyOrder(one, other));
    assertThat(nodes.leader()).isEqualTo(leader);
    assertThat(nodes.condition(other, HOT)).as("nobody leads").isEqualTo(Optional.empty());

    nodes.forgetLeader();

    eventually(() -> assertThat(nodes.showing(HOT)).contains(one, other));
    assertThat(nodes.leader()).startsWith("second-");
    eventually(() -> assertThat(nodes.triggered(other, HOT)).hasSize(1));
    assertThat(nodes.triggered(one, HOT)).as("it is not announced again").hasSize(1);
    assertThat(alertmanager.givenUp()).isZero();
  }
}
