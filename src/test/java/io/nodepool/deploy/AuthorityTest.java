package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import io.nodepool.vocabulary.metadata.KeyWriter;
import io.nodepool.vocabulary.metadata.MetadataKey;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.PodAnnotations;
import io.nodepool.vocabulary.metadata.PodLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds docs/authority.md to the roles, the policies, the fields, the keys and the causes: each of
 * them is in a row of what ends work, or of what does not, and each row names what there is.
 */
class AuthorityTest {
  private static final Set<String> READS = Set.of("get", "list", "watch");
  private static final Set<String> VERBS =
      Set.of("get", "create", "patch", "delete", "bind", "impersonate");

  /** Resources that no role of the chart names: rights of administrators and tenants. */
  private static final Set<String> OF_KUBERNETES =
      Set.of(
          "deployments",
          "secrets",
          "serviceaccounts/token",
          "users",
          "customresourcedefinitions",
          "validatingadmissionpolicies",
          "validatingadmissionpolicybindings",
          "clusterroles",
          "poddisruptionbudgets",
          "jobs/status");

  private static final Chart CHART =
      Chart.render(
          """
          dataCentre: {enabled: true}
          alerts: {receiver: {enabled: true, tokenSecret: a, tlsSecret: b}}
          monitoring: {tls: {secret: a}}
          operator: {verification: {namespace: checks}}
          admission:
            cpuToleration: {enabled: true}
            interruptiblePriority: {enabled: true}
            labelDomains: {enabled: true}
            operatorAccount: {enabled: true}
            nodeAnnotations: {enabled: true}
            nodeConditions: {enabled: true}
            signalSources: {enabled: true}
            poolWarnings: {enabled: false}
          """);

  /** A row of a table, by the names of its columns. */
  private record Row(Map<String, String> cells) {
    Set<String> words(String column) {
      return Pattern.compile("`([^`]+)`")
          .matcher(cells.getOrDefault(column, ""))
          .results()
          .map(found -> found.group(1))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static final List<Row> ROWS = rows();

  private static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    List<String> head = List.of();
    try {
      for (String line : Files.readAllLines(Path.of("docs", "authority.md"))) {
        if (!line.startsWith("|")) {
          head = List.of();
        } else if (head.isEmpty()) {
          head = cells(line);
        } else if (!line.startsWith("|---")) {
          List<String> cells = cells(line);
          assertThat(cells).as(line).hasSameSizeAs(head);
          List<String> names = head;
          rows.add(
              new Row(
                  Stream.iterate(0, i -> i < names.size(), i -> i + 1)
                      .collect(Collectors.toMap(names::get, cells::get))));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return rows;
  }

  private static List<String> cells(String line) {
    return Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("\\|", -1))
        .map(String::strip)
        .toList();
  }

  private static Set<String> words(String column) {
    return ROWS.stream()
        .flatMap(row -> row.words(column).stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Those of the accounts and of the roles to bind, as {@code verb resource}. */
  private static Set<String> granted() {
    Set<String> rights = new TreeSet<>();
    for (JsonNode role : CHART.objects()) {
      if (role.get("kind").asText().endsWith("Role")) {
        role.get("rules")
            .forEach(rule ->
                Chart.texts(rule.path("resources"))
                    .forEach(resource ->
                        Chart.texts(rule.get("verbs"))
                            .forEach(verb -> rights.add(verb + " " + resource))));
      }
    }
    return rights;
  }

  private static Stream<JsonNode> policies() {
    return CHART.objects().stream()
        .filter(object -> object.get("kind").asText().endsWith("AdmissionPolicy"));
  }

  @Test
  void everyRightToWriteThatTheChartGrantsIsThere() {
    assertThat(words("right"))
        .containsAll(
            granted().stream()
                .filter(right -> !READS.contains(right.substring(0, right.indexOf(' '))))
                .toList());
  }

  @Test
  void everyRightThatIsNamedExists() {
    Set<String> granted = granted();
    Set<String> resources =
        granted.stream()
            .map(right -> right.substring(right.indexOf(' ') + 1))
            .collect(Collectors.toCollection(HashSet::new));
    resources.addAll(OF_KUBERNETES);
    assertThat(words("right"))
        .allSatisfy(word -> {
          // Others are names: of an account, a group, a Namespace.
          if (word.contains(" ")) {
            String verb = word.substring(0, word.indexOf(' '));
            String resource = word.substring(word.indexOf(' ') + 1);
            if (verb.equals("report") && resource.contains("/")) {
              assertAsked(verb, resource.substring(resource.indexOf('/') + 1));
            } else if (!granted.contains(word)) {
              assertThat(VERBS).as(word).contains(verb);
              assertThat(resources).as(word).contains(resource);
            } else if (!VERBS.contains(verb)) {
              assertAsked(verb, "");
            }
          }
        });
  }

  /** A verb of our own is worth something only where a policy asks for it. */
  private static void assertAsked(String verb, String name) {
    assertThat(policies().map(JsonNode::toString))
        .as(verb)
        .anyMatch(policy ->
            policy.contains("check('%s')".formatted(verb))
                && (name.isEmpty() || policy.contains(".name('%s')".formatted(name))));
  }

  @Test
  void everyPolicyIsThereAndNoOther() {
    assertThat(words("policy").stream().map(name -> Chart.RELEASE + "-" + name))
        .containsExactlyInAnyOrderElementsOf(
            policies().map(policy -> policy.at("/metadata/name").asText()).toList());
  }

  @Test
  void aPolicyNarrowsARightOfItsRow() {
    ROWS.forEach(row -> {
      Set<String> resources =
          row.words("right").stream()
              .map(right -> right.substring(right.indexOf(' ') + 1))
              .collect(Collectors.toSet());
      row.words("policy")
          .forEach(name -> {
            JsonNode policy =
                policies()
                    .filter(each ->
                        each.at("/metadata/name").asText().equals(Chart.RELEASE + "-" + name))
                    .findFirst()
                    .orElseThrow();
            assertThat(Chart.texts(policy.at("/spec/matchConstraints/resourceRules/0/resources")))
                .as(row.toString())
                .containsAnyElementsOf(resources);
          });
    });
  }

  @Test
  void everyCauseIsThereAndNoOther() {
    assertThat(words("cause"))
        .containsExactlyInAnyOrderElementsOf(
            KnownCause.Catalogue.ALL.stream().map(CauseKind::word).toList());
  }

  @Test
  void everyKeyThatClientsWriteIsThere() {
    List<String> keys =
        Stream.of(
                written(NodeLabels.values()),
                written(NodeAnnotations.values()),
                written(PoolAnnotations.values()),
                Arrays.stream(HostAnnotations.values()).map(MetadataKey::key),
                Arrays.stream(PodAnnotations.values()).map(MetadataKey::key),
                Arrays.stream(PodLabels.values()).map(MetadataKey::key),
                Arrays.stream(NamespaceLabels.values()).map(MetadataKey::key),
                Arrays.stream(NodeTaints.values())
                    .map(NodeTaints::key)
                    .filter(key -> !NodeTaints.isOwn(key)),
                Arrays.stream(NodeCondition.values())
                    .filter(type -> type.writers().contains(KeyWriter.CLIENT))
                    .map(NodeCondition::type))
            .flatMap(each -> each)
            .toList();

    assertThat(words("what is written")).containsAll(keys);
  }

  private static Stream<String> written(MetadataKey[] keys) {
    return Arrays.stream(keys)
        .filter(key -> key.writers().contains(KeyWriter.CLIENT))
        .map(MetadataKey::key);
  }

  @Test
  void everyFieldIsThereAndNoOther() throws IOException {
    Set<String> fields = new TreeSet<>();
    try (Stream<Path> files = Files.list(Path.of("crds"))) {
      for (Path file : files.toList()) {
        JsonNode definition = Chart.parse(Files.readString(file)).getFirst();
        String kind = definition.at("/spec/names/singular").asText();
        JsonNode schema = definition.at("/spec/versions/0/schema/openAPIV3Schema/properties");
        schema
            .at("/spec/properties")
            .fieldNames()
            .forEachRemaining(field -> fields.add(kind + ".spec." + field));
        if (schema.has("status")) {
          fields.add(kind + ".status");
        }
      }
    }
    Set<String> named =
        words("what is written").stream()
            .filter(word -> word.matches("[a-z]+[.](spec|status)([.][a-zA-Z]+)?"))
            .collect(Collectors.toSet());

    assertThat(fields)
        .allSatisfy(field ->
            assertThat(named)
                .as(field)
                .anyMatch(word -> word.equals(field) || field.startsWith(word + ".")));
    assertThat(named)
        .allSatisfy(word ->
            assertThat(fields)
                .as(word)
                .anyMatch(field -> word.equals(field) || field.startsWith(word + ".")));
  }
}
