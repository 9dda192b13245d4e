package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import io.nodepool.GeneratedText;
import io.nodepool.cli.Main;
import io.nodepool.vocabulary.metadata.PodLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ChartTest {
  private static final String BOTH =
      """
      dataCentre:
        enabled: true
      admission:
        cpuToleration:
          enabled: true
        labelDomains:
          enabled: true
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void itPassesHelmsStrictLint() {
    LintResult result = new Helm(Chart.FOLDER).lint().strict().call();

    assertThat(result.isFailed()).as(String.join("\n", result.getMessages())).isFalse();
  }

  @Test
  void theOperatorAloneIsInstalledUnlessADataCentreIsAskedFor() {
    String plain = "admission: {cpuToleration: {enabled: false}, labelDomains: {enabled: false}}";

    assertThat(Chart.render(plain).names())
        .containsExactlyInAnyOrder(
            "Deployment nodepool-operator",
            "PodDisruptionBudget nodepool-operator",
            "NetworkPolicy nodepool-operator",
            "ServiceAccount nodepool-operator",
            "ClusterRole nodepool-operator",
            "ClusterRole nodepool-operator-reboot-when-idle",
            "ClusterRole nodepool-operator-reboot-immediately",
            "ClusterRole nodepool-operator-reboot-own-immediately",
            "ClusterRole nodepool-operator-report-conditions",
            "ClusterRole nodepool-operator-metrics-reader",
            "ClusterRoleBinding nodepool-operator",
            "Role nodepool-operator",
            "RoleBinding nodepool-operator",
            "Role nodepool-operator-lease",
            "RoleBinding nodepool-operator-lease",
            "Role nodepool-operator-events",
            "RoleBinding nodepool-operator-events");
  }

  @Test
  void theDataCentreBringsItsOwnAccountAndDeployment() {
    assertThat(Chart.render(BOTH).names())
        .contains(
            "SimulatedFleet default",
            "Deployment nodepool-operator-data-centre",
            "NetworkPolicy nodepool-operator-data-centre",
            "ServiceAccount nodepool-operator-data-centre",
            "ClusterRole nodepool-operator-data-centre",
            "Role nodepool-operator-data-centre",
            "Role nodepool-operator-data-centre-leases");
    assertThat(Chart.render("dataCentre: {enabled: true, leases: false}").names())
        .doesNotContain("Role nodepool-operator-data-centre-leases");
  }

  @Test
  void interruptiblePodsGetAClassBelowZeroOnlyIfThatIsEnabled() {
    assertThat(Chart.render(BOTH).names())
        .contains("PriorityClass cw-hpc-verification")
        .noneMatch(name -> name.contains("interruptible"));
    Chart chart = Chart.render("admission: {interruptiblePriority: {enabled: true, value: -7}}");
    JsonNode policy =
        chart
            .get("MutatingAdmissionPolicy", "nodepool-operator-interruptible-priority")
            .get("spec");

    assertThat(chart.get("PriorityClass", "nodepool-operator-interruptible").get("value").asInt())
        .isEqualTo(-7);
    assertThat(policy.at("/mutations/0/jsonPatch/expression").asText())
        .contains("value: 'nodepool-operator-interruptible'", "'/spec/priority', value: -7}");
    assertThat(
            Stream.of(policy.at("/matchConditions/0/expression").asText().split("'"))
                .filter(part -> part.contains("/")))
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(PodLabels.values())
                .map(PodLabels::key)
                .filter(key -> !key.contains("graceful"))
                .toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {Chart.RELEASE, Chart.DATA_CENTRE})
  void podsRunUnderTheRestrictedStandardAndOffTheNodesOfPools(String name) {
    JsonNode pod = Chart.render(BOTH).get("Deployment", name).at("/spec/template/spec");

    assertThat(pod.get("serviceAccountName").asText()).isEqualTo(name);
    assertThat(pod.get("securityContext"))
        .isEqualTo(
            json(
                """
                {"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532,
                 "seccompProfile": {"type": "RuntimeDefault"}}
                """));
    assertThat(pod.at("/containers")).hasSize(1);
    assertThat(pod.at("/containers/0/securityContext"))
        .isEqualTo(
            json(
                """
                {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                 "capabilities": {"drop": ["ALL"]}}
                """));
    assertThat(pod.has("volumes")).as("nothing is written").isFalse();
    assertThat(pod.has("tolerations")).isFalse();
    assertThat(
            pod.at(
                "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms"))
        .isEqualTo(
            json(
                """
                [{"matchExpressions":
                  [{"key": "compute.coreweave.com/node-pool", "operator": "DoesNotExist"}]}]
                """));
  }

  /** Of both Deployments. */
  private static List<JsonNode> pods(String values) {
    Chart chart = Chart.render(BOTH + values);
    return List.of(
        chart.get("Deployment", Chart.RELEASE).at("/spec/template/spec"),
        chart.get("Deployment", Chart.DATA_CENTRE).at("/spec/template/spec"));
  }

  @Test
  void theClusterMayAssignTheUser() {
    assertThat(pods("podSecurityContext: {runAsUser: null, runAsGroup: null, fsGroup: 7}"))
        .allSatisfy(pod ->
            assertThat(pod.get("securityContext"))
                .isEqualTo(
                    json(
                        """
                        {"runAsNonRoot": true, "fsGroup": 7, "seccompProfile": {"type": "RuntimeDefault"}}
                        """)));
    assertThat(pods("securityContext: {capabilities: {drop: [NET_RAW]}}"))
        .allSatisfy(pod ->
            assertThat(pod.at("/containers/0/securityContext"))
                .isEqualTo(
                    json(
                        """
                        {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true,
                         "capabilities": {"drop": ["NET_RAW"]}}
                        """)));
  }

  /** As an upgrade with the values of an earlier chart has it. */
  @Test
  void withoutTheValuesPodsAreConfinedAndSpreadAndDrainedAsWithThem() {
    String none =
        """
        podSecurityContext: null
        securityContext: null
        operator: {topologySpreadConstraints: null, podDisruptionBudget: null}
        """;
    assertThat(Chart.render(none).objects()).isEqualTo(Chart.render("").objects());
  }

  @Test
  void replicasAreSpreadOverHostsUnlessOtherwiseGiven() {
    assertThat(spread("")).hasSize(1);
    assertThat(spread("").at("/0/labelSelector/matchLabels"))
        .isEqualTo(
            Chart.render("").get("Deployment", Chart.RELEASE).at("/spec/selector/matchLabels"));
    assertThat(spread("operator: {topologySpreadConstraints: []}").isMissingNode()).isTrue();
    JsonNode given =
        spread(
            "operator: {topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone,"
                + " whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: a}}},"
                + " {maxSkew: 1, topologyKey: rack, whenUnsatisfiable: ScheduleAnyway}]}");
    assertThat(given.at("/0/topologyKey").asText()).isEqualTo("zone");
    assertThat(given.at("/0/labelSelector")).isEqualTo(json("{\"matchLabels\": {\"app\": \"a\"}}"));
    assertThat(given.at("/1/labelSelector")).isEqualTo(spread("").at("/0/labelSelector"));
  }

  private static JsonNode spread(String values) {
    return Chart.render(values)
        .get("Deployment", Chart.RELEASE)
        .at("/spec/template/spec/topologySpreadConstraints");
  }

  @ParameterizedTest
  @ValueSource(strings = {Chart.RELEASE, Chart.DATA_CENTRE})
  void probesAskWhereTheCommandServes(String name) {
    Chart chart = Chart.render(BOTH);
    JsonNode container = chart.get("Deployment", name).at("/spec/template/spec/containers").get(0);

    assertThat(container.at("/livenessProbe/httpGet"))
        .isEqualTo(json("{\"path\": \"/healthz\", \"port\": \"metrics\"}"));
    assertThat(container.at("/startupProbe/httpGet"))
        .isEqualTo(container.at("/livenessProbe/httpGet"));
    assertThat(container.at("/readinessProbe/httpGet"))
        .isEqualTo(json("{\"path\": \"/readyz\", \"port\": \"metrics\"}"));
    assertThat(container.at("/ports"))
        .isEqualTo(json("[{\"name\": \"metrics\", \"containerPort\": 8080}]"));
    // The Pod's own address only, where the kubelet asks too.
    assertThat(chart.args(name)).contains("--metrics-address=$(POD_IP)", "--metrics-port=8080");
    assertThat(container.at("/env"))
        .isEqualTo(
            json(
                """
                [{"name": "POD_IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]
                """));
  }

  @ParameterizedTest
  @ValueSource(strings = {Chart.RELEASE, Chart.DATA_CENTRE})
  void theCommandKnowsItsArguments(String name) {
    // As the kubelet hands them over.
    List<String> args =
        Chart.render(BOTH + RECEIVING.formatted(", tlsSecret: a")).args(name).stream()
            .map(arg -> arg.replace("$(POD_IP)", "10.0.0.1"))
            .toList();

    CommandLine.ParseResult parsed =
        new CommandLine(new Main()).parseArgs(args.toArray(String[]::new));

    assertThat(parsed.subcommand().matchedOptionValue("--namespace", ""))
        .isEqualTo(Chart.NAMESPACE);
  }

  @Test
  void theOperatorTakesMoreOptions() {
    assertThat(
            Chart.render("operator: {extraArgs: [--missing-quota=unlimited]}").args(Chart.RELEASE))
        .startsWith("run")
        .contains("--missing-quota=unlimited");
  }

  @Test
  void allowedReservedKeysAreAnOptionAndInThePoliciesOfTheOperator() {
    Chart with =
        Chart.render(
            "{operator: {allowedReservedKeys: [apps.coreweave.cloud/tier, a.coreweave.com/b]},"
                + " admission: {operatorAccount: {enabled: true}}}");
    assertThat(with.args(Chart.RELEASE))
        .contains("--allow-reserved-key=apps.coreweave.cloud/tier,a.coreweave.com/b");
    assertThat(with.objects().toString())
        .containsSubsequence(
            "key in [\\\"apps.coreweave.cloud/tier\\\",\\\"a.coreweave.com/b\\\"] ||",
            "key in [\\\"apps.coreweave.cloud/tier\\\",\\\"a.coreweave.com/b\\\"] ||");
    assertThat(Chart.render("").args(Chart.RELEASE)).doesNotContain("--allow-reserved-key=");
  }

  @Test
  void theOldestReferenceIsAValue() {
    String option = "--reference-generation=oldest";
    assertThat(Chart.render("").args(Chart.RELEASE)).doesNotContain(option);
    assertThat(Chart.render("operator: {referenceGeneration: current}").args(Chart.RELEASE))
        .doesNotContain(option);
    // As an upgrade with the values of an earlier chart has it.
    assertThat(Chart.render("operator: {referenceGeneration: null}").args(Chart.RELEASE))
        .doesNotContain(option);
    assertThat(Chart.render("operator: {referenceGeneration: oldest}").args(Chart.RELEASE))
        .contains(option);
  }

  @Test
  void anAccountOfAnotherNameHasTheRightsAndThePoliciesKnowIt() {
    Chart chart =
        Chart.render(
            """
            operator: {serviceAccount: {name: pools}, verification: {namespace: checks}}
            dataCentre: {enabled: true, serviceAccount: {name: metal}}
            admission: {operatorAccount: {enabled: true}}
            """);
    assertThat(account(chart, Chart.RELEASE)).isEqualTo("pools");
    assertThat(account(chart, Chart.DATA_CENTRE)).isEqualTo("metal");
    assertThat(chart.get("ServiceAccount", "pools")).isNotNull();
    assertThat(chart.get("ServiceAccount", "metal")).isNotNull();
    assertThat(chart.objects())
        .filteredOn(object -> object.path("kind").asText().endsWith("RoleBinding"))
        .hasSizeGreaterThan(5)
        .allSatisfy(
            binding -> assertThat(binding.at("/subjects/0/name").asText()).isIn("pools", "metal"));
    assertThat(chart.objects())
        .filteredOn(object -> object.path("kind").asText().equals("ValidatingAdmissionPolicy"))
        .allSatisfy(policy ->
            assertThat(policy.toString())
                .doesNotContain("system:serviceaccount:nodepool-system:nodepool-operator"))
        .anySatisfy(policy ->
            assertThat(policy.toString()).contains("system:serviceaccount:nodepool-system:pools"));
  }

  private static String account(Chart chart, String deployment) {
    return chart
        .get("Deployment", deployment)
        .at("/spec/template/spec/serviceAccountName")
        .asText();
  }

  @Test
  void protectedMetricsHaveAPortOfTheirOwnForThoseWhoMay() {
    Chart chart =
        Chart.render(
            """
            monitoring: {tls: {secret: cert}, service: {enabled: true}, serviceMonitor: {enabled: true}}
            """);
    assertThat(chart.args(Chart.RELEASE))
        .contains("--metrics-tls-directory=/etc/nodepool/metrics-tls", "--metrics-tls-port=8443");
    assertThat(chart.get("Service", Chart.RELEASE + "-metrics").at("/spec/ports/0/port").asInt())
        .isEqualTo(8443);
    JsonNode endpoint = chart.get("ServiceMonitor", Chart.RELEASE).at("/spec/endpoints/0");
    assertThat(endpoint.path("scheme").asText()).isEqualTo("https");
    assertThat(endpoint.at("/tlsConfig/serverName").asText())
        .isEqualTo("nodepool-operator-metrics.nodepool-system.svc");
    assertThat(
            chart.get("NetworkPolicy", Chart.RELEASE).at("/spec/ingress/0/ports/0/port").asText())
        .isEqualTo("metrics-tls");
    assertThat(chart.get("NetworkPolicy", Chart.RELEASE).at("/spec/ingress")).hasSize(1);
    assertThatThrownBy(
            () -> Chart.render("monitoring: {tls: {secret: a}, podMonitor: {enabled: true}}"))
        .hasMessageContaining("use monitoring.serviceMonitor");
  }

  @Test
  void faultyNodesThatAreKeptAreOptions() {
    assertThat(Chart.render("").args(Chart.RELEASE))
        .contains("--preserved-nodes=1", "--preserve-time=72h");
    assertThat(Chart.render("operator: {preserve: null}").args(Chart.RELEASE))
        .noneMatch(arg -> arg.startsWith("--preserve"));
    assertThat(Chart.render("operator: {preserve: {nodes: 0, time: 5h}}").args(Chart.RELEASE))
        .contains("--preserved-nodes=0", "--preserve-time=5h");
  }

  @Test
  void theNamespaceOfVerificationJobsIsAnOptionAndARole() {
    assertThat(Chart.render("").args(Chart.RELEASE)).doesNotContain("--verification-namespace=");
    assertThat(Chart.render("operator: {verification: null}").args(Chart.RELEASE))
        .doesNotContain("--verification-namespace=");
    Chart with = Chart.render("operator: {verification: {namespace: checks, deadline: 10m}}");
    assertThat(with.args(Chart.RELEASE))
        .contains("--verification-namespace=checks", "--verification-deadline=10m");
    JsonNode role = with.get("Role", Chart.RELEASE + "-verification");
    assertThat(role.get("metadata").get("namespace").asText()).isEqualTo("checks");
    assertThat(role.get("rules"))
        .isEqualTo(
            json(
                "[{\"apiGroups\": [\"batch\"], \"resources\": [\"jobs\"], \"verbs\": [\"create\", \"get\"]},"
                    + " {\"apiGroups\": [\"\"], \"resources\": [\"configmaps\"], \"verbs\": [\"get\"]}]"));
  }

  static List<Path> valueSets() {
    return Chart.valueSets();
  }

  @ParameterizedTest
  @MethodSource("valueSets")
  void eachSetOfValuesIsValidAndRenders(Path values) throws IOException {
    Chart chart = Chart.render(Files.readString(values));
    assertThat(chart.names()).isNotEmpty().doesNotHaveDuplicates();
    assertThat(chart.objects())
        .allSatisfy(object -> {
          assertThat(object.path("apiVersion").asText()).isNotEmpty();
          assertThat(object.at("/metadata/labels/app.kubernetes.io~1instance").asText())
              .isEqualTo(Chart.RELEASE);
        });
  }

  @Test
  void thereAreTwelveSetsOfValuesAndThatOfKind() {
    assertThat(Chart.valueSets()).hasSize(13);
  }

  @Test
  void theDataCentreHasOneProcessThatEndsBeforeTheNextBegins() {
    JsonNode spec = Chart.render(BOTH).get("Deployment", Chart.DATA_CENTRE).get("spec");

    assertThat(spec.get("replicas").asInt()).isEqualTo(1);
    assertThat(spec.get("strategy")).isEqualTo(json("{\"type\": \"Recreate\"}"));
  }

  @Test
  void aDrainTakesOneOfSeveralOperatorsAtATimeAndIsNotHeldUpByTheOnlyOne() {
    JsonNode budget = Chart.render("{}").get("PodDisruptionBudget", Chart.RELEASE).get("spec");

    assertThat(budget.get("maxUnavailable").asInt()).isEqualTo(1);
    assertThat(budget.at("/selector/matchLabels"))
        .isEqualTo(
            Chart.render("{}").get("Deployment", Chart.RELEASE).at("/spec/selector/matchLabels"));
    assertThat(budget("operator: {podDisruptionBudget: {maxUnavailable: 50%}}").orElseThrow())
        .isEqualTo("50%");
    assertThat(budget("operator: {replicas: 1}")).isEmpty();
    assertThat(budget("operator: {podDisruptionBudget: {enabled: false}}")).isEmpty();
  }

  private static Optional<String> budget(String values) {
    return Chart.render(values)
        .find("PodDisruptionBudget", Chart.RELEASE)
        .map(budget -> budget.at("/spec/maxUnavailable").asText());
  }

  @ParameterizedTest
  @ValueSource(strings = {Chart.RELEASE, Chart.DATA_CENTRE})
  void metricsAreReachedFromNamedPlacesOnly(String name) {
    Chart chart = Chart.render(BOTH);
    JsonNode policy = chart.get("NetworkPolicy", name).get("spec");

    assertThat(policy.at("/podSelector/matchLabels"))
        .isEqualTo(chart.get("Deployment", name).at("/spec/selector/matchLabels"));
    assertThat(policy.get("policyTypes")).isEqualTo(json("[\"Ingress\"]"));
    assertThat(policy.get("ingress"))
        .isEqualTo(
            json(
                """
                [{"from": [{"namespaceSelector": {"matchLabels": {"metrics": "enabled"}}}],
                  "ports": [{"protocol": "TCP", "port": "metrics"}]}]
                """));
    assertThat(
            Chart.render(BOTH + "networkPolicy: {metricsFrom: []}")
                .get("NetworkPolicy", name)
                .at("/spec/ingress"))
        .isEqualTo(json("[]"));
    assertThat(Chart.render(BOTH + "networkPolicy: {enabled: false}").find("NetworkPolicy", name))
        .isEmpty();
  }

  private static final String RECEIVING =
      "alerts: {receiver: {enabled: true, tokenSecret: the-token%s}}\n";

  @Test
  void alertsAreReceivedOnlyIfThatIsEnabled() {
    Chart off = Chart.render(BOTH);
    // As an upgrade with the values of an earlier chart has it.
    Chart earlier = Chart.render(BOTH + "alerts: null");

    for (Chart each : List.of(off, earlier)) {
      assertThat(each.names()).doesNotContain("Service nodepool-operator-alerts");
      assertThat(each.args(Chart.RELEASE)).noneMatch(arg -> arg.startsWith("--alerts"));
    }
  }

  @Test
  void theReceiverOfAlertsIsReachedThroughAServiceFromNamedPlacesOnly() {
    Chart chart = Chart.render(BOTH + RECEIVING.formatted(", tlsSecret: the-certificate"));
    JsonNode service = chart.get("Service", "nodepool-operator-alerts").get("spec");
    JsonNode pod = chart.get("Deployment", Chart.RELEASE).at("/spec/template/spec");

    assertThat(service.get("selector"))
        .isEqualTo(chart.get("Deployment", Chart.RELEASE).at("/spec/selector/matchLabels"));
    assertThat(service.at("/ports/0/targetPort").asText())
        .isEqualTo(pod.at("/containers/0/ports/1/name").asText());
    assertThat(chart.args(Chart.RELEASE))
        .contains(
            "--alerts-address=$(POD_IP)",
            "--alerts-port=" + pod.at("/containers/0/ports/1/containerPort").asText(),
            "--alerts-token-file=/etc/nodepool/alerts-token/token",
            "--alerts-tls-directory=/etc/nodepool/alerts-tls")
        .doesNotContain("--alerts-plaintext");
    assertThat(pod.get("volumes"))
        .isEqualTo(
            json(
                """
                [{"name": "alerts-tls", "secret": {"secretName": "the-certificate"}},
                 {"name": "alerts-token", "secret": {"secretName": "the-token"}}]
                """));
    assertThat(pod.at("/containers/0/volumeMounts"))
        .isEqualTo(
            json(
                """
                [{"name": "alerts-tls", "mountPath": "/etc/nodepool/alerts-tls", "readOnly": true},
                 {"name": "alerts-token", "mountPath": "/etc/nodepool/alerts-token", "readOnly": true}]
                """));
    assertThat(chart.get("NetworkPolicy", Chart.RELEASE).at("/spec/ingress"))
        .contains(
            json(
                """
                {"from": [{"namespaceSelector":
                            {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}],
                 "ports": [{"protocol": "TCP", "port": "alerts"}]}
                """));
    assertThat(chart.get("NetworkPolicy", Chart.DATA_CENTRE).at("/spec/ingress")).hasSize(1);
    assertThat(Chart.render(RECEIVING.formatted("")).args(Chart.RELEASE))
        .contains("--alerts-plaintext");
  }

  @Test
  void logsOfTheOperatorAreFoundByTheLabelOfItsPods() {
    assertThat(podLabels("{}", Chart.RELEASE).get("app").asText()).isEqualTo("node-lifecycle");
    assertThat(podLabels("operator: {podLabels: {team: a}}", Chart.RELEASE))
        .contains(new TextNode("node-lifecycle"), new TextNode("a"));
    assertThat(podLabels("operator: {podLabels: {app: null}}", Chart.RELEASE).has("app")).isFalse();
    assertThat(podLabels(BOTH, Chart.DATA_CENTRE).has("app")).isFalse();
    assertThat(
            podLabels("nameOverride: node-lifecycle", Chart.RELEASE)
                .get("app.kubernetes.io/name")
                .asText())
        .isEqualTo("node-lifecycle");
  }

  private static JsonNode podLabels(String values, String deployment) {
    return Chart.render(values).get("Deployment", deployment).at("/spec/template/metadata/labels");
  }

  @Test
  void commonLabelsAreOnAllObjects() {
    Chart chart =
        Chart.render(
            "{commonLabels: {team: a}, dataCentre: {enabled: true}, monitoring: {service: {enabled: true}, dashboards: {enabled: true}}}");
    assertThat(chart.objects())
        .hasSizeGreaterThan(15)
        .allSatisfy(object ->
            assertThat(object.at("/metadata/labels/team").asText())
                .as(object.path("kind").asText())
                .isEqualTo("a"));
    assertThat(
            chart
                .get("Deployment", Chart.RELEASE)
                .at("/spec/template/metadata/labels/team")
                .asText())
        .isEqualTo("a");
    assertThat(chart.get("Deployment", Chart.RELEASE).at("/spec/selector/matchLabels").has("team"))
        .isFalse();
  }

  @Test
  void podsTakeVariablesAndOptionsOfTheJvm() {
    JsonNode container =
        Chart.render(
                "operator: {jvmOptions: [-Xss1m, -Dx=y], extraEnv: [{name: HTTPS_PROXY, value: p}]}")
            .get("Deployment", Chart.RELEASE)
            .at("/spec/template/spec/containers/0");
    assertThat(container.path("env").valueStream().map(JsonNode::toString))
        .contains(
            "{\"name\":\"JDK_JAVA_OPTIONS\",\"value\":\"-Xss1m -Dx=y\"}",
            "{\"name\":\"HTTPS_PROXY\",\"value\":\"p\"}");
  }

  @Test
  void anAffinityIsAddedToThatWhichKeepsPodsOffNodesOfPools() {
    String spread =
        "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}";
    JsonNode both = affinity("operator: {affinity: {%s}}".formatted(spread));
    assertThat(both.has("nodeAffinity")).isTrue();
    assertThat(both.has("podAntiAffinity")).isTrue();
    JsonNode alone =
        affinity("{keepOffPoolNodes: false, operator: {affinity: {%s}}}".formatted(spread));
    assertThat(alone.has("nodeAffinity")).isFalse();
    assertThat(alone.has("podAntiAffinity")).isTrue();
    assertThat(affinity("keepOffPoolNodes: false").isMissingNode()).isTrue();
  }

  private static JsonNode affinity(String values) {
    return Chart.render(values).get("Deployment", Chart.RELEASE).at("/spec/template/spec/affinity");
  }

  @Test
  void accountsHaveTheAnnotationsThatAreGiven() {
    Chart chart =
        Chart.render(
            "{operator: {serviceAccount: {annotations: {a: b}}}, dataCentre: {enabled: true, serviceAccount: {annotations: {c: d}}}}");
    assertThat(chart.get("ServiceAccount", Chart.RELEASE).at("/metadata/annotations/a").asText())
        .isEqualTo("b");
    assertThat(
            chart.get("ServiceAccount", Chart.DATA_CENTRE).at("/metadata/annotations/c").asText())
        .isEqualTo("d");
  }

  @Test
  void metricsHaveAServiceAndAMonitorOfItIfThatIsEnabled() {
    Chart chart =
        Chart.render(
            "monitoring: {service: {enabled: true, annotations: {prometheus.io/scrape: 'true'}}, serviceMonitor: {enabled: true, labels: {release: p}}}");
    JsonNode service = chart.get("Service", Chart.RELEASE + "-metrics");
    JsonNode monitor = chart.get("ServiceMonitor", Chart.RELEASE);
    assertThat(service.at("/metadata/annotations").toString()).contains("prometheus.io/scrape");
    monitor
        .at("/spec/selector/matchLabels")
        .properties()
        .forEach(label ->
            assertThat(service.at("/metadata/labels").path(label.getKey()))
                .isEqualTo(label.getValue()));
    assertThat(monitor.at("/spec/endpoints/0/port")).isEqualTo(service.at("/spec/ports/0/name"));
    assertThatThrownBy(() -> Chart.render("monitoring: {serviceMonitor: {enabled: true}}"))
        .hasMessageContaining("monitoring.serviceMonitor needs monitoring.service.enabled");
  }

  @Test
  void namesFollowTheReleaseUnlessOthersAreGiven() {
    assertThat(Chart.render("fullnameOverride: pools").names())
        .contains("Deployment pools", "ClusterRole pools");
  }

  @Test
  void theImageIsThatOfTheChartUnlessAnotherIsGiven() {
    assertThat(image("{}")).isEqualTo("nodepool-operator:0.1.0");
    assertThat(image("image: {repository: team/nodepool, tag: abc}"))
        .isEqualTo("team/nodepool:abc");
    String digest = "sha256:" + "0f".repeat(32);
    assertThat(
            image("image: {repository: team/nodepool, tag: abc, digest: '%s'}".formatted(digest)))
        .isEqualTo("team/nodepool@" + digest);
  }

  private static String image(String values) {
    return Chart.render(values)
        .get("Deployment", Chart.RELEASE)
        .at("/spec/template/spec/containers/0/image")
        .asText();
  }

  @ParameterizedTest
  @CsvSource({
    "cpuToleration, MutatingAdmissionPolicy, nodepool-operator-cpu-toleration",
    "labelDomains, ValidatingAdmissionPolicy, nodepool-operator-label-domains",
    "nodeAnnotations, ValidatingAdmissionPolicy, nodepool-operator-node-annotations",
    "operatorAccount, ValidatingAdmissionPolicy, nodepool-operator-account-nodes",
    "nodeConditions, ValidatingAdmissionPolicy, nodepool-operator-node-conditions",
    "signalSources, ValidatingAdmissionPolicy, nodepool-operator-signal-sources",
    "poolWarnings, ValidatingAdmissionPolicy, nodepool-operator-pool-warnings"
  })
  void eachAdmissionPolicyHasASwitch(String policy, String kind, String name) {
    String values = "admission: {%s: {enabled: %s}}";

    Chart on = Chart.render(values.formatted(policy, true));
    assertThat(on.get(kind + "Binding", name).at("/spec/policyName").asText()).isEqualTo(name);
    assertThat(on.find(kind, name)).isPresent();
    Chart off = Chart.render(values.formatted(policy, false));
    assertThat(off.find(kind, name)).isEmpty();
    assertThat(off.find(kind + "Binding", name)).isEmpty();
  }

  @Test
  void namespacesCanBeLeftOutOfTheToleration() {
    assertThat(
            Chart.render(
                    "admission: {cpuToleration: {enabled: true, excludedNamespaces: [kube-system]}}")
                .get("MutatingAdmissionPolicy", "nodepool-operator-cpu-toleration")
                .at("/spec/matchConstraints/namespaceSelector/matchExpressions/0/values/0")
                .asText())
        .isEqualTo("kube-system");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          operator: {replicas: 0}                     | at '/operator/replicas': minimum: got 0, want 1
          operator: {replicas: many}                  | at '/operator/replicas': got string, want integer
          operator: {replica: 1}                      | at '/operator': additional properties 'replica' not allowed
          dataCentre: {speed: 0.5}                    | at '/dataCentre/speed': got number, want integer
          dataCentre: {enabled: some day}             | at '/dataCentre/enabled': got string, want boolean
          dataCentre: {name: A}                       | at '/dataCentre/name': 'A' does not match pattern
          admission: {labelDomains: {enabled: maybe}} | at '/admission/labelDomains/enabled': value must be one of
          image: {repository: REGISTRY/a}             | at '/image/repository': 'REGISTRY/a' does not match pattern
          image: {repository: 'a.b/c:1.0'}            | at '/image/repository': 'a.b/c:1.0' does not match pattern
          image: {digest: abc}                        | at '/image/digest': 'abc' does not match pattern
          networkPolicy: {metricsFrom: [{}]}          | at '/networkPolicy/metricsFrom/0': minProperties: got 0, want 1
          operator: {podLabels: {helm.sh/chart: a}}   | invalid propertyName 'helm.sh/chart'
          alerts: {receiver: {enabled: true}}         | at '/alerts/receiver/tokenSecret': minLength: got 0, want 1
          alerts: {receiver: {from: [{}]}}            | at '/alerts/receiver/from/0': minProperties: got 0, want 1
          image: {pullPolicy: Sometimes}              | at '/image/pullPolicy': value must be one of
          operator: {resources: {limits: {memory: 512}}}      | at '/operator/resources/limits/memory': got number, want string
          operator: {resources: {limits: {memory: '512'}}}    | at '/operator/resources/limits/memory': '512' does not match pattern
          dataCentre: {resources: {requests: {memory: 1024}}} | at '/dataCentre/resources/requests/memory': got number, want string
          operator: {podDisruptionBudget: {maxUnavailable: 0}} | at '/operator/podDisruptionBudget/maxUnavailable': minimum: got 0, want 1
          operator: {podDisruptionBudget: {maxUnavailable: a}} | at '/operator/podDisruptionBudget/maxUnavailable': 'a' does not match pattern
          operator: {topologySpreadConstraints: [{}]} | at '/operator/topologySpreadConstraints/0': missing properties 'maxSkew', 'topologyKey', 'whenUnsatisfiable'
          tolerations: []                             | at '': additional properties 'tolerations' not allowed
          """)
  void aWrongValueIsRefusedByItsName(String values, String message) {
    assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(message);
  }

  @Test
  void itCarriesTheCrdsOfTheProject() throws IOException {
    List<Path> files = files(Path.of("crds"));
    for (Path folder : List.of(Chart.FOLDER.resolve("crds"), Chart.CRDS.resolve("definitions"))) {
      for (Path file : files) {
        GeneratedText.assertSame(
            folder.resolve(file.getFileName()),
            Files.readString(file),
            "./mvnw test -Pquick -Dtest=CrdsTest -Dcrds.write=true");
      }
      assertThat(files(folder)).hasSameSizeAs(files);
    }
  }

  @Test
  void theChartOfTheCrdsHasThemAndHelmKeepsThem() throws IOException {
    List<JsonNode> objects =
        Chart.parse(
            new Helm(Chart.CRDS)
                .template()
                .withName("nodepool-crds")
                .withKubeVersion("1.34.4")
                .call());
    assertThat(objects)
        .hasSize(5)
        .allSatisfy(object ->
            assertThat(object.at("/metadata/annotations/helm.sh~1resource-policy").asText())
                .isEqualTo("keep"));
    for (JsonNode object : objects) {
      String name = object.at("/metadata/name").asText();
      JsonNode own = Chart.parse(Files.readString(Path.of("crds", file(name)))).getFirst();
      assertThat(object.get("spec")).isEqualTo(own.get("spec"));
    }
  }

  private static String file(String definition) {
    return definition + ".yaml";
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  @Test
  void itsDataCentreIsTheOneThatDevRuns() throws IOException {
    JsonNode shipped =
        Chart.parse(Files.readString(Path.of("deploy", "data-centre.yaml"))).getFirst();

    assertThat(Chart.render(BOTH).get("SimulatedFleet", "default").get("spec"))
        .isEqualTo(shipped.get("spec"));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
