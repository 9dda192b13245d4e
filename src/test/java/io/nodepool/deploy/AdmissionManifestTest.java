package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.nodepool.cli.Admission;
import io.nodepool.vocabulary.LabelDomains;
import io.nodepool.vocabulary.NodeTaints;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code deploy/admission.yaml}, for those who do not use Helm, to what the chart renders;
 * with {@code -Dadmission.write=true} writes it.
 */
class AdmissionManifestTest {
  private static final Path FILE = Path.of("deploy", "admission.yaml");
  private static final String HEADER =
      """
      # The admission policies as deploy/chart renders them; needs MutatingAdmissionPolicy v1beta1.
      # Change those, then run: mvn test -Dtest=AdmissionManifestTest -Dadmission.write=true
      """;

  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
          .build();

  private static final Chart CHART =
      Chart.render(
          """
          admission:
            cpuToleration:
              enabled: true
            labelDomains:
              enabled: true
          """);

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("admission.write")) {
      Files.writeString(FILE, text());
    }
  }

  private static String text() {
    return CHART.objects().stream()
        .filter(object -> object.get("kind").asText().contains("AdmissionPolicy"))
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
  void theFileIsWhatTheChartRenders() {
    assertThat(FILE)
        .as("run: mvn test -Dtest=AdmissionManifestTest -Dadmission.write=true")
        .content()
        .isEqualTo(text());
  }

  @Test
  void labelsAreRefusedInTheWordsOfTheVocabularyWithItsExceptions() {
    JsonNode policy =
        CHART.get("ValidatingAdmissionPolicy", "nodepool-operator-label-domains").get("spec");
    String rule = policy.at("/validations/0/expression").asText();

    assertThat(policy.at("/validations/0/message").asText()).isEqualTo(LabelDomains.REFUSAL);
    assertThat(Pattern.compile("'([a-z.]+/[a-z-]+)'").matcher(rule).results().map(m -> m.group(1)))
        .containsExactlyInAnyOrderElementsOf(LabelDomains.ALLOWED_ON_NODES);
    assertThat(rule)
        .contains("key.startsWith('%s/')".formatted(LabelDomains.ALLOWED_DOMAIN_ON_NODES));
    assertThat(policy.at("/matchConditions/0/expression").asText())
        .contains('"' + Admission.OPERATOR + '"', '"' + Admission.DATA_CENTRE + '"');
  }

  @Test
  void thoseWhoAreExemptBesideOursCanBeNamed() {
    JsonNode policy =
        Chart.render(
                """
                admission:
                  labelDomains:
                    enabled: true
                    exemptUsers: [fleet@example.com]
                    exemptGroups: [example:fleets]
                """)
            .get("ValidatingAdmissionPolicy", "nodepool-operator-label-domains");

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
}
