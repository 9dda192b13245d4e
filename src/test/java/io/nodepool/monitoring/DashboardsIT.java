package io.nodepool.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.Main;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.local.InstalledControlPlane;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.receiver.alertmanager.AlertmanagerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The dashboards and the alerts as people have them: a Prometheus that scrapes an operator with a
 * data centre, in which pools wait, are wrong, too large or preempted, machines fail, and a rollout
 * pauses and is rolled back; and an Alertmanager that gets the alerts.
 */
@Tag("monitoring")
@ExtendWith(InstalledControlPlane.class)
class DashboardsIT {
  private static final int SPEED = 20;
  private static final Duration SOON = Duration.ofMinutes(3);
  private static final Pattern FOR = Pattern.compile("(?m)^( *for: )[0-9]+[smhd]$");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A row of the table of questions: the query, and an answer. */
  private static final Pattern QUESTION =
      Pattern.compile("(?m)^\\| [^|`]*\\| `(.*)` \\| `(\\{.*)` \\|$");

  /** Those that fire in the script and are resolved in it. */
  private static final Set<String> FIRED_AND_RESOLVED =
      Set.of(
          "NodePoolInvalid",
          "NodePoolOverQuota",
          "NodePoolWaitsForMachines",
          "NodePoolNotAtTarget",
          "NodePoolConfigurationDisabled",
          "NodePoolRolloutPaused");

  @TempDir private Path folder;

  @Test
  void everyPanelHasDataAndAlertsAreFiredAndResolved() throws Exception {
    int port = freePort();
    Path kubeconfig = folder.resolve("kubeconfig");
    Process dev = dev(port, kubeconfig);
    try (AlertmanagerProcess alertmanager =
            AlertmanagerProcess.start(
                folder, "route: {receiver: nowhere}\nreceivers: [{name: nowhere}]\n");
        MonitoringProgram prometheus = prometheus(port, alertmanager)) {
      await()
          .atMost(SOON)
          .failFast(() -> assertThat(dev.isAlive()).as(devLog()).isTrue())
          .until(() -> Files.exists(kubeconfig));
      try (KubernetesClient user = LocalClusterExtension.client(Files.readString(kubeconfig))) {
        trouble(user);
        Set<String> fired = new TreeSet<>();
        await()
            .atMost(SOON)
            .untilAsserted(() -> {
              fired.addAll(alertmanager.active("alertname"));
              assertThat(fired).containsAll(FIRED_AND_RESOLVED);
            });
        assertThatEveryPanelHasData(prometheus);
        assertThatTheQuestionsOfANightAreAnswered(prometheus);
        end(user);
        await()
            .atMost(SOON)
            .untilAsserted(() ->
                assertThat(alertmanager.active("alertname"))
                    .doesNotContainAnyElementsOf(FIRED_AND_RESOLVED));
      }
      dev.destroy();
      assertThat(dev.waitFor(60, TimeUnit.SECONDS)).isTrue();
      await()
          .atMost(SOON)
          .untilAsserted(() ->
              assertThat(alertmanager.active("alertname")).contains("NodePoolOperatorAbsent"));
    } finally {
      dev.destroy();
    }
  }

  private Process dev(int port, Path kubeconfig) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "dev",
            "--speed=" + SPEED,
            "--metrics-port=" + port,
            "--write-kubeconfig=" + kubeconfig)
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("dev.log").toFile())
        .start();
  }

  private String devLog() throws IOException {
    return Files.readString(folder.resolve("dev.log"));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The rules that ship, with two seconds for the times that they wait. */
  private MonitoringProgram prometheus(int port, AlertmanagerProcess alertmanager)
      throws IOException {
    String rules = Files.readString(Path.of("deploy", "monitoring", "rules.yaml"));
    Files.writeString(folder.resolve("rules.yaml"), FOR.matcher(rules).replaceAll("$12s"));
    Path file =
        Files.writeString(
            folder.resolve("prometheus.yaml"),
            """
            global: {scrape_interval: 1s, evaluation_interval: 1s}
            rule_files: [rules.yaml]
            alerting: {alertmanagers: [{static_configs: [{targets: ["%s"]}]}]}
            scrape_configs:
              - job_name: nodepool
                static_configs: [{targets: ["127.0.0.1:%d"]}]
            """
                .formatted(alertmanager.served().getAuthority(), port));
    return MonitoringProgram.start(
        "prometheus",
        folder,
        "--config.file=" + file,
        "--storage.tsdb.path=" + folder.resolve("prometheus"),
        "--web.listen-address=127.0.0.1:0");
  }

  private static void pool(KubernetesClient user, String name, String spec) {
    user.resource(
            "{\"apiVersion\": \"compute.coreweave.com/v1alpha1\", \"kind\": \"NodePool\", \"metadata\": {\"name\": \"%s\"}, \"spec\": {%s}}"
                .formatted(name, spec.replace('\'', '"')))
        .create();
  }

  private static void awaitNodes(KubernetesClient user, String pool, int count) {
    await().atMost(SOON).until(() -> nodes(user, pool).size() == count);
  }

  private static List<String> nodes(KubernetesClient user, String pool) {
    return user
        .nodes()
        .withLabel("compute.coreweave.com/node-pool", pool)
        .list()
        .getItems()
        .stream()
        .map(node -> node.getMetadata().getName())
        .sorted()
        .toList();
  }

  private static void dataCentre(KubernetesClient user, String spec) {
    user.resources(SimulatedFleet.class)
        .withName("default")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {%s}}".formatted(spec.replace('\'', '"')));
  }

  private static void annotate(KubernetesClient user, String pool, String key, String value) {
    user.resources(NodePool.class)
        .withName(pool)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"annotations\": {\"%s\": \"%s\"}}}".formatted(key, value));
  }

  /** Pools in trouble: one that is rolled out waits for none of them. */
  private static void trouble(KubernetesClient user) throws IOException {
    await()
        .atMost(SOON)
        .ignoreExceptions()
        .until(() -> user.resources(SimulatedFleet.class).withName("default").get() != null);
    pool(
        user,
        "train",
        "'computeClass': 'default', 'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 8");
    pool(
        user,
        "cheap",
        "'computeClass': 'spot', 'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 3");
    pool(user, "queued", "'computeClass': 'default', 'instanceType': 'b200-8x', 'targetNodes': 12");
    pool(
        user,
        "wrong",
        "'computeClass': 'default', 'instanceType': 'no-such-type', 'targetNodes': 1");
    pool(
        user,
        "large",
        "'computeClass': 'default', 'instanceType': 'gd-8xa100-i128', 'targetNodes': 8");
    awaitNodes(user, "train", 8);
    awaitNodes(user, "cheap", 3);
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    String preempted = nodes(user, "cheap").getFirst();
    List<String> faulty = nodes(user, "queued");
    dataCentre(
        user,
        """
        'reclaims': [{'host': '%s', 'after': '%ds'}],
        'mishaps': {'configurations': [{'image': 'ncore-9.1.0', 'mishap': 'Fail'}],
          'faults': [{'host': '%s', 'alert': 'GPUTimeoutError', 'at': '%s', 'healedBy': 'Reboot'},
            {'host': '%s', 'alert': 'DPUUnexpectedPuntedRoutes', 'at': '%s', 'healedBy': 'Nothing'}]}
        """
            .formatted(
                preempted, sinceCreation(user), faulty.getFirst(), now, faulty.getLast(), now));
    SimulatedFleet fleet = user.resources(SimulatedFleet.class).withName("default").require();
    JsonNode releases = JSON.valueToTree(fleet.getSpec().releases);
    String drill =
        "{'name': 'drill', 'images': [{'name': 'ncore-9.1.0', 'train': 'stable', 'kernels': ['6.11.0-34']}], 'gpuDrivers': ['580.95.05'], 'kubernetesVersion': 'v1.34.4'}";
    ((ArrayNode) releases).add(JSON.readTree(drill.replace('\'', '"')));
    dataCentre(user, "'releases': " + releases);
    await()
        .atMost(SOON)
        .until(() ->
            user.resources(NodePool.class)
                    .withName("train")
                    .require()
                    .getStatus()
                    .pendingNodeConfiguration
                != null);
    annotate(user, "train", "nodepool.io/promote", "true");
    await()
        .atMost(SOON)
        .until(() ->
            Objects.requireNonNull(
                    user.resources(NodePool.class)
                        .withName("train")
                        .require()
                        .getStatus()
                        .nodeProfile)
                .startsWith("ncore-9.1.0"));
    annotate(user, "train", "nodepool.io/rollout", "start");
  }

  /** How many seconds the data centre has existed in a quarter of a minute, by its own clock. */
  private static long sinceCreation(KubernetesClient user) {
    Instant created =
        Instant.parse(
            user.resources(SimulatedFleet.class)
                .withName("default")
                .require()
                .getMetadata()
                .getCreationTimestamp());
    return SPEED * (Duration.between(created, Instant.now()).toSeconds() + 15);
  }

  /** All of it ends. */
  private static void end(KubernetesClient user) {
    NodePool train = user.resources(NodePool.class).withName("train").require();
    String first =
        Objects.requireNonNull(train.getStatus().nodeConfigurationRevisions.getFirst().nodeProfile);
    annotate(user, "train", "nodepool.io/rollback", first);
    for (String pool : List.of("wrong", "queued", "large")) {
      user.resources(NodePool.class).withName(pool).delete();
    }
  }

  private static void assertThatEveryPanelHasData(MonitoringProgram prometheus) {
    List<Dashboards.Query> queries = Dashboards.queries();
    assertThat(queries).hasSizeGreaterThan(40);
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofSeconds(2))
        .untilAsserted(() ->
            assertThat(
                    queries.stream()
                        .filter(query -> isEmpty(prometheus, query))
                        .map(Dashboards.Query::toString)
                        .toList())
                .isEmpty());
  }

  /** Whether a query has no number within the last minutes, for none of the pools. */
  private static boolean isEmpty(MonitoringProgram prometheus, Dashboards.Query query) {
    return List.of("train", "cheap", "queued").stream()
        .noneMatch(pool -> hasData(prometheus, query.forPool(pool)));
  }

  /** The answers that the page shows were given, among others, within the last minutes. */
  private static void assertThatTheQuestionsOfANightAreAnswered(MonitoringProgram prometheus)
      throws IOException {
    List<MatchResult> rows =
        QUESTION
            .matcher(Files.readString(Path.of("docs", "at-night.md")).split("\n## ", 2)[0])
            .results()
            .toList();
    assertThat(rows).hasSize(4);
    for (MatchResult row : rows) {
      String query = row.group(1).replace("\\|", "|");
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> assertThat(answers(prometheus, query)).as(query).contains(row.group(2)));
    }
  }

  /** Each series with each of its values, as Prometheus prints them. */
  private static Set<String> answers(MonitoringProgram prometheus, String expression) {
    Set<String> answers = new TreeSet<>();
    series(prometheus, expression)
        .forEach(series -> {
          String labels =
              series.path("metric").properties().stream()
                  .map(label -> "%s=\"%s\"".formatted(label.getKey(), label.getValue().asText()))
                  .sorted()
                  .collect(Collectors.joining(", ", "{", "}"));
          series
              .path("values")
              .forEach(value -> answers.add(labels + " " + value.path(1).asText()));
        });
    return answers;
  }

  private static boolean hasData(MonitoringProgram prometheus, String expression) {
    return series(prometheus, expression)
        .flatMap(series -> series.path("values").valueStream())
        .anyMatch(sample -> !sample.path(1).asText().equals("NaN"));
  }

  /** What a query answers within the last minutes. */
  private static Stream<JsonNode> series(MonitoringProgram prometheus, String expression) {
    long now = Instant.now().getEpochSecond();
    JsonNode answer =
        prometheus.json(
            "/api/v1/query_range?start=%d&end=%d&step=2&query=%s"
                .formatted(now - 600, now, URLEncoder.encode(expression, StandardCharsets.UTF_8)));
    assertThat(answer.path("status").asText())
        .as("%s: %s", expression, answer)
        .isEqualTo("success");
    return answer.at("/data/result").valueStream();
  }
}
