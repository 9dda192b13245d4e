package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.nodepool.GeneratedText;
import io.nodepool.cli.input.Admission;
import io.nodepool.health.SignalKey;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.KeyWriter;
import io.nodepool.vocabulary.metadata.LabelDomains;
import io.nodepool.vocabulary.metadata.MetadataKey;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds {@code deploy/admission.yaml}, for those who do not use Helm, to what the chart renders,
 * and that to the vocabulary; with {@code -Dadmission.write=true} writes it, and the chart's lists.
 */
class AdmissionManifestTest {
  private static final Path FILE = Path.of("deploy", "admission.yaml");
  private static final Path INTERRUPTIBLE = Path.of("deploy", "interruptible-priority.yaml");
  private static final String OF_INTERRUPTIBLE = "nodepool-operator-interruptible";
  private static final String HEADER =
      """
      # The admission policies as deploy/chart renders them; needs MutatingAdmissionPolicy v1beta1.
      # Change those, then run: ./mvnw test -Pquick -Dtest=AdmissionManifestTest -Dadmission.write=true
      """;

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
          .build();

  private static final Path LISTS = Chart.FOLDER.resolve("templates").resolve("_vocabulary.tpl");
  private static final String LISTS_HEADER =
      """
      {{/*
      CEL lists of what the vocabulary defines, for the policies about the operator's account. Generated:
      ./mvnw test -Pquick -Dtest=AdmissionManifestTest -Dadmission.write=true
      */}}
      """;

  private static final Set<String> OPERATOR_LABELS =
      // The state has values of its own.
      keys(NodeLabels.values(), KeyWriter.OPERATOR, NodeLabels.STATE);

  private static final Set<String> OTHER_LABELS =
      Arrays.stream(NodeLabels.values())
          .map(NodeLabels::key)
          .filter(key -> !LabelDomains.reserved(key))
          .collect(ordered());

  private static final Set<String> OPERATOR_ANNOTATIONS =
      Stream.concat(
              keys(NodeAnnotations.values(), KeyWriter.OPERATOR).stream(),
              LabelDomains.ALLOWED_IN_SPEC.stream().sorted())
          .collect(ordered());

  private static final Set<String> POOL_ANNOTATIONS =
      Arrays.stream(PoolAnnotations.values()).map(PoolAnnotations::key).collect(ordered());

  private static final Set<String> OPERATOR_CONDITIONS =
      Arrays.stream(NodeCondition.values())
          .filter(condition -> condition.writers().contains(KeyWriter.OPERATOR))
          .map(NodeCondition::type)
          .collect(ordered());

  static {
    if (Boolean.getBoolean("admission.write")) {
      writeLists();
    }
  }

  private static final Chart CHART =
      Chart.render(
          """
          admission:
            cpuToleration:
              enabled: true
            interruptiblePriority:
              enabled: true
            labelDomains:
              enabled: true
            operatorAccount:
              enabled: true
            nodeAnnotations:
              enabled: true
            nodeConditions:
              enabled: true
            signalSources:
              enabled: true
            poolWarnings:
              enabled: true
          """);

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("admission.write")) {
      Files.writeString(FILE, text());
      Files.writeString(INTERRUPTIBLE, interruptible());
    }
  }

  private static void writeLists() {
    try {
      Files.writeString(
          LISTS,
          LISTS_HEADER
              + define("operatorNodeLabels", list(OPERATOR_LABELS))
              + define("otherNodeLabels", list(OTHER_LABELS))
              + define("operatorNodeAnnotations", list(OPERATOR_ANNOTATIONS))
              + define("poolAnnotations", list(POOL_ANNOTATIONS))
              + define("poolAnnotationNames", names(POOL_ANNOTATIONS))
              + define("reservedSignals", SignalKey.RESERVED)
              + define(
                  "kubernetesNodeConditions", list(new LinkedHashSet<>(NodeCondition.KUBERNETES)))
              + define("operatorNodeConditions", list(OPERATOR_CONDITIONS))
              + define("operatorNodeConditionNames", names(OPERATOR_CONDITIONS)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String define(String name, String text) {
    return "{{- define \"nodepool.%s\" -}}\n%s\n{{- end -}}\n".formatted(name, text);
  }

  private static String names(Set<String> words) {
    return String.join(", ", words).replaceFirst(", (?=[^,]*$)", " and ");
  }

  private static String list(Set<String> words) {
    return words.stream().map(word -> "'" + word + "'").collect(Collectors.joining(", ", "[", "]"));
  }

  private static Collector<String, ?, Set<String>> ordered() {
    return Collectors.toCollection(LinkedHashSet::new);
  }

  private static String text() {
    return CHART.objects().stream()
        .filter(object -> object.get("kind").asText().contains("AdmissionPolicy"))
        .filter(object -> !isOfInterruptible(object))
        .map(AdmissionManifestTest::text)
        .collect(Collectors.joining("", HEADER, ""));
  }

  private static boolean isOfInterruptible(JsonNode object) {
    return object.at("/metadata/name").asText().startsWith(OF_INTERRUPTIBLE);
  }

  private static String interruptible() {
    return CHART.objects().stream()
        .filter(AdmissionManifestTest::isOfInterruptible)
        .map(AdmissionManifestTest::text)
        .collect(Collectors.joining("", HEADER, ""));
  }

  /** Without the labels, which say that Helm keeps the object. */
  private static String text(JsonNode object) {
    ObjectNode plain = object.deepCopy();
    ((ObjectNode) plain.get("metadata")).remove("labels");
    try {
      return YAML.writeValueAsString(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theFileIsWhatTheChartRenders() throws IOException {
    GeneratedText.assertSame(
        FILE, text(), GeneratedText.writing(AdmissionManifestTest.class, "admission.write"));
    GeneratedText.assertSame(
        INTERRUPTIBLE,
        interruptible(),
        GeneratedText.writing(AdmissionManifestTest.class, "admission.write"));
  }

  @Test
  void labelsAreRefusedInTheWordsOfTheVocabularyWithItsExceptions() {
    JsonNode policy =
        CHART.get("ValidatingAdmissionPolicy", "nodepool-operator-label-domains").get("spec");
    String rule = policy.at("/variables/1/expression").asText();

    assertThat(policy.at("/validations/0/message").asText()).isEqualTo(LabelDomains.REFUSAL);
    assertThat(policy.at("/validations/0/messageExpression").asText())
        .startsWith("'" + LabelDomains.REFUSAL + " The key is '");
    assertThat(Pattern.compile("'([a-z.]+/[a-z-]+)'").matcher(rule).results().map(m -> m.group(1)))
        .containsExactlyInAnyOrderElementsOf(LabelDomains.ALLOWED_ON_NODES);
    assertThat(rule)
        .contains("key.startsWith('%s/')".formatted(LabelDomains.ALLOWED_DOMAIN_ON_NODES));
    assertThat(policy.at("/matchConditions/0/expression").asText())
        .contains('"' + Admission.OPERATOR + '"', '"' + Admission.DATA_CENTRE + '"');
  }

  /** What it warns of is what the vocabulary does not have, or does not follow. */
  @Test
  void whoWritesANodePoolIsWarnedAndRefusedNothing() {
    JsonNode policy = CHART.get("ValidatingAdmissionPolicy", "nodepool-operator-pool-warnings");

    assertThat(lists(policy.at("/spec/variables/0/expression").asText()))
        .containsExactly(POOL_ANNOTATIONS);
    assertThat(lists(policy.at("/spec/variables/1/expression").asText()))
        .containsExactly(OTHER_LABELS);
    assertThat(OTHER_LABELS).noneMatch(key -> LabelDomains.followedAsLabel(key, Set.of()));
    assertThat(
            CHART
                .get("ValidatingAdmissionPolicyBinding", "nodepool-operator-pool-warnings")
                .at("/spec/validationActions"))
        .singleElement()
        .extracting(JsonNode::asText)
        .isEqualTo("Warn");
  }

  @ParameterizedTest
  @CsvSource({
    "labelDomains, label-domains",
    "nodeAnnotations, node-annotations",
    "nodeConditions, node-conditions"
  })
  void thoseWhoAreExemptBesideOursCanBeNamed(String value, String name) {
    JsonNode policy =
        Chart.render(
                """
                admission:
                  %s:
                    enabled: true
                    exemptUsers: [fleet@example.com]
                    exemptGroups: [example:fleets]
                """
                    .formatted(value))
            .get("ValidatingAdmissionPolicy", "nodepool-operator-" + name);

    assertThat(policy.at("/spec/matchConditions/0/expression").asText())
        .contains("\"fleet@example.com\"", "\"example:fleets\"");
  }

  @Test
  void theTolerationIsThatOfTheTaintOfTheVocabulary() {
    assertThat(
            CHART
                .get("MutatingAdmissionPolicy", "nodepool-operator-cpu-toleration")
                .at("/spec/mutations/0/jsonPatch/expression")
                .asText())
        .contains(
            "key: '%s', operator: 'Exists', effect: '%s'"
                .formatted(
                    NodeTaints.IS_CPU_COMPUTE.key(), NodeTaints.IS_CPU_COMPUTE.effect().word()));
  }

  @Test
  void theOperatorsAccountIsNarrowedToWhatTheVocabularySaysIsItsOwn() {
    String nodes = account("nodes");

    assertThat(lists(nodes))
        .as("the lists in deploy/chart/templates/_admission.tpl")
        .contains(
            OTHER_LABELS,
            LabelDomains.KUBERNETES_ANNOTATIONS,
            LabelDomains.AUTOSCALER_TAINTS,
            OPERATOR_LABELS,
            Arrays.stream(LifecycleState.values())
                .map(LifecycleState::word)
                .collect(Collectors.toSet()),
            OPERATOR_ANNOTATIONS,
            OPERATOR_CONDITIONS,
            Set.copyOf(NodeCondition.KUBERNETES));
    assertThat(nodes)
        .contains(
            "'%s' in variables.annotationsBefore".formatted(NodeAnnotations.HOST_UID.key()),
            "each.key != '%s'".formatted(NodeTaints.RESERVED.key()));
    assertThat(account("namespaces")).contains("'" + NamespaceLabels.ORGANIZATION.key() + "'");
    assertThat(account("nodepools")).contains("'" + PoolConversion.FINALIZER + "'");
    assertThat(lists(account("nodepools")))
        .contains(keys(PoolAnnotations.values(), KeyWriter.OPERATOR));
  }

  @Test
  void everyPolicyAboutTheOperatorsAccountIsAboutThatOne() {
    List<JsonNode> policies =
        CHART.objects().stream()
            .filter(object -> object.get("kind").asText().equals("ValidatingAdmissionPolicy"))
            .filter(object -> object.at("/metadata/name").asText().contains("-account-"))
            .toList();

    assertThat(policies).hasSize(9);
    assertThat(policies)
        .allSatisfy(policy -> {
          assertThat(policy.at("/spec/failurePolicy").asText()).isEqualTo("Fail");
          assertThat(policy.at("/spec/matchConditions")).hasSize(1);
          assertThat(policy.at("/spec/matchConditions/0/expression").asText())
              .isEqualTo("request.userInfo.username == '%s'".formatted(Admission.OPERATOR));
        });
  }

  /** The keys that a writer may write, but for some. */
  private static Set<String> keys(MetadataKey[] all, KeyWriter writer, MetadataKey... without) {
    return Arrays.stream(all)
        .filter(key -> key.writers().contains(writer) && !List.of(without).contains(key))
        .map(MetadataKey::key)
        .collect(ordered());
  }

  /** All expressions of a policy. */
  private static String account(String about) {
    JsonNode spec =
        CHART.get("ValidatingAdmissionPolicy", "nodepool-operator-account-" + about).get("spec");
    return String.join("\n", spec.findValuesAsText("expression"));
  }

  /** The lists of texts in an expression. */
  private static List<Set<String>> lists(String expression) {
    return Pattern.compile("\\[('[^\\]]+')\\]")
        .matcher(expression)
        .results()
        .map(list ->
            Arrays.stream(list.group(1).split(",\\s*"))
                .map(text -> text.replace("'", ""))
                .collect(Collectors.toSet()))
        .toList();
  }
}
