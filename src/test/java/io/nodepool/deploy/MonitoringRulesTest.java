package io.nodepool.deploy;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.GeneratedText;
import io.nodepool.monitoring.Dashboards;
import io.nodepool.vocabulary.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules for Prometheus, compared with what the operator serves and what the guides say. */
class MonitoringRulesTest {
  private static final Path HACK = Path.of("hack", "monitoring");
  private static final Path SCRAPE = Path.of("src", "test", "resources", "scrape.txt");
  private static final Pattern METRIC = Pattern.compile("nodepool_[a-z_]+");
  private static final Pattern MATCHED = Pattern.compile("(nodepool_[a-z_]+)\\{([^}]*)\\}");
  private static final Pattern LABEL = Pattern.compile("([a-z_]+)(?==~|!~|!=|=)");
  private static final Pattern BY = Pattern.compile("by \\(([a-z_, ]*)\\)");

  /** Labels that are not a metric's own: of a bucket, and of the process that is scraped. */
  private static final Set<String> ADDED = Set.of("le", "instance");

  private static Map<String, Set<String>> documented() {
    Map<String, Set<String>> labels = new TreeMap<>();
    Arrays.stream(Metric.values())
        .forEach(metric ->
            metric.names().forEach(name -> labels.put(name, new TreeSet<>(metric.labels()))));
    return labels;
  }

  private static List<String> questions() {
    return MonitoringRules.items(
            MonitoringRules.read(HACK.resolve("questions.yaml")).path("promql_expr_test"))
        .map(each -> each.path("expr").asText())
        .toList();
  }

  private static Stream<String> expressions() {
    return Stream.concat(
        MonitoringRules.all().stream().map(MonitoringRules.Rule::expression),
        Stream.concat(
            questions().stream(), Dashboards.queries().stream().map(Dashboards.Query::expression)));
  }

  private static List<String> found(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(MatchResult::group).toList();
  }

  @Test
  void rulesAndQueriesNameOnlyMetricsAndLabelsThatAreServed() {
    Map<String, Set<String>> documented = documented();
    assertThat(expressions()).hasSizeGreaterThan(30);
    expressions()
        .forEach(expression -> {
          List<String> metrics = found(METRIC, expression);
          assertThat(documented.keySet()).as(expression).containsAll(metrics);
          MATCHED
              .matcher(expression)
              .results()
              .forEach(match ->
                  assertThat(documented.get(match.group(1)))
                      .as(expression)
                      .containsAll(found(LABEL, match.group(2))));
          Set<String> served =
              metrics.stream()
                  .flatMap(metric -> documented.getOrDefault(metric, Set.of()).stream())
                  .collect(Collectors.toSet());
          BY.matcher(expression)
              .results()
              .flatMap(match -> Stream.of(match.group(1).split(", ")))
              .filter(not(ADDED::contains))
              .forEach(label -> assertThat(served).as(expression).contains(label));
        });
  }

  @Test
  void theRecordedMetricsHaveTheirDocumentedLabels() throws IOException {
    Map<String, Set<String>> documented = documented();
    List<String> series = Files.readAllLines(SCRAPE);
    assertThat(series).isNotEmpty();
    for (String line : series) {
      String name = found(METRIC, line).getFirst();
      Set<String> labels =
          Pattern.compile("([a-z_]+)=\"")
              .matcher(line)
              .results()
              .map(match -> match.group(1))
              .filter(not(ADDED::contains))
              .collect(Collectors.toSet());
      assertThat(labels).as(line).isEqualTo(documented.get(name));
    }
  }

  @Test
  void everyAlertSaysHowBadItIsAndNamesASectionThatExists() throws IOException {
    for (MonitoringRules.Rule rule : MonitoringRules.all()) {
      if (rule.isAlert()) {
        assertThat(rule.alert().severity()).as(rule.name()).isIn("critical", "warning", "info");
        assertThat(rule.alert().summary()).as(rule.name()).endsWith(".").isNotBlank();
        String[] runbook = rule.alert().runbook().split("#", 2);
        Set<String> sections =
            Files.readAllLines(Path.of(runbook[0])).stream()
                .filter(line -> line.startsWith("#"))
                .map(line ->
                    line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 -]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
        assertThat(sections).as(rule.name()).contains(runbook[1]);
      }
    }
  }

  @Test
  void everyAlertIsFiredAndResolvedByATest() {
    List<String> alerts =
        MonitoringRules.all().stream()
            .filter(MonitoringRules.Rule::isAlert)
            .map(MonitoringRules.Rule::name)
            .toList();
    List<String> resolved =
        MonitoringRules.items(MonitoringRules.read(HACK.resolve("rules.test.yaml")).path("tests"))
            .filter(test -> firesAndIsResolved(test, test.path("name").asText()))
            .map(test -> test.path("name").asText())
            .toList();

    assertThat(alerts).doesNotHaveDuplicates().hasSizeGreaterThan(20);
    assertThat(resolved).containsExactlyInAnyOrderElementsOf(alerts);
  }

  private static boolean firesAndIsResolved(JsonNode test, String alert) {
    List<Integer> firing =
        MonitoringRules.items(test.path("alert_rule_test"))
            .filter(each -> each.path("alertname").asText().equals(alert))
            .map(each -> each.path("exp_alerts").size())
            .toList();
    return firing.stream().anyMatch(count -> count > 0) && firing.getLast() == 0;
  }

  @Test
  void theGuideHasTheQueriesThatAreTested() throws IOException {
    String guide =
        (Files.readString(Path.of("docs", "operate.md"))
                + Files.readString(Path.of("docs", "at-night.md")))
            .replace("\\|", "|");
    assertThat(questions())
        .hasSizeGreaterThan(4)
        .allSatisfy(query -> assertThat(guide).contains("`" + query + "`"));
  }

  private static void assertCopied(Path file, Path copy) throws IOException {
    GeneratedText.assertSame(copy, Files.readString(file), "cp %s %s".formatted(file, copy));
  }

  @Test
  void theChartHasTheSameDashboards() throws IOException {
    Chart rendered = Chart.render("monitoring: {dashboards: {enabled: true}}");
    for (Path file : Dashboards.files()) {
      String name = String.valueOf(file.getFileName());
      assertCopied(file, Chart.FOLDER.resolve("files").resolve("dashboards").resolve(name));
      JsonNode map =
          rendered.get("ConfigMap", "nodepool-operator-dashboard-" + name.replace(".json", ""));
      assertThat(new ObjectMapper().readTree(map.path("data").path(name).asText()))
          .isEqualTo(new ObjectMapper().readTree(file.toFile()));
      assertThat(map.at("/metadata/labels/grafana_dashboard").asText()).isEqualTo("1");
    }
  }

  @Test
  void theChartHasTheSameRules() throws IOException {
    assertCopied(MonitoringRules.FILE, Chart.FOLDER.resolve("files").resolve("rules.yaml"));
    Chart rendered =
        Chart.render(
            "monitoring: {rules: {enabled: true, labels: {release: p}}, podMonitor: {enabled: true}}");
    assertThat(rendered.names())
        .contains("PrometheusRule nodepool-operator", "PodMonitor nodepool-operator");
  }

  @Test
  void withABaseEachAlertOfTheChartHasTheAddressOfItsRunbook() throws IOException {
    Chart rendered =
        Chart.render(
            "monitoring: {rules: {enabled: true, runbookBase: 'https://docs.example/n/'}}");
    List<String> addresses =
        MonitoringRules.items(
                rendered.get("PrometheusRule", "nodepool-operator").at("/spec/groups"))
            .flatMap(group -> MonitoringRules.items(group.path("rules")))
            .filter(rule -> rule.has("alert"))
            .map(rule -> rule.at("/annotations/runbook_url").asText())
            .toList();
    assertThat(addresses)
        .hasSize((int) MonitoringRules.all().stream().filter(MonitoringRules.Rule::isAlert).count())
        .allMatch(each -> each.startsWith("https://docs.example/n/docs/at-night.md#nodepool"))
        .contains("https://docs.example/n/docs/at-night.md#nodepoolinvalid");
  }

  @Test
  void atNightEachAlertHasFiveStepsAndWhatNotToDo() throws IOException {
    String page = Files.readString(Path.of("docs", "at-night.md"));
    for (MonitoringRules.Rule rule : MonitoringRules.all()) {
      if (rule.isAlert()) {
        String section = page.split("\n## " + rule.name() + "\n", 2)[1].split("\n## ", 2)[0];
        assertThat(section.lines().filter(line -> line.matches("\\d\\. .*")))
            .as(rule.name())
            .hasSize(5);
        assertThat(section).as(rule.name()).contains("\nDo not ", " More: [");
      }
    }
  }

  @Test
  void everyMetricIsInAPanelARuleOrAQuestion() {
    Set<String> used =
        expressions()
            .flatMap(expression -> found(METRIC, expression).stream())
            .collect(Collectors.toSet());
    assertThat(
            Arrays.stream(Metric.values())
                .filter(metric -> metric.id().startsWith("nodepool"))
                .filter(metric -> metric.names().stream().noneMatch(used::contains)))
        .isEmpty();
  }
}
