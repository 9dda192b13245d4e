package io.nodepool.health.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The JSON schema of the alerts agrees with what the operator reads. */
class AlertSchemaTest {
  private static final Path RESOURCES = Path.of("src/main/resources/io/nodepool/health/catalogue");
  private static final YAMLMapper YAML = new YAMLMapper();

  @ParameterizedTest
  @MethodSource("io.nodepool.health.catalogue.WrongAlerts#all")
  void theSchemaRefusesWhatHasAWrongForm(WrongAlerts.Wrong wrong) {
    if (wrong.schema()) {
      assertThat(mistakes(wrong.document())).isNotEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(Grade.class)
  void theSchemaHasEveryGrade(Grade grade) {
    assertThat(mistakes("alerts: {GPUVeryHot: {grade: %s}}".formatted(grade.word()))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(AlertSubject.class)
  void theSchemaHasEverySubject(AlertSubject subject) {
    assertThat(mistakes("alerts: {GPUVeryHot: {subject: %s}}".formatted(subject.word()))).isEmpty();
  }

  @Test
  void theShippedDocumentFollowsTheSchema() throws IOException {
    assertThat(mistakes(Files.readString(RESOURCES.resolve("alerts.yaml")))).isEmpty();
  }

  @Test
  void theSchemaHasTheFieldsAndLimitsOfTheReader() {
    JsonNode alert = schemaText().at("/$defs/alert/properties");
    assertThat(alert.fieldNames())
        .toIterable()
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(AlertEntry.FIELDS.stream(), Stream.of("source")).toList());
    assertThat(alert.at("/meaning/maxLength").intValue()).isEqualTo(AlertEntry.LONGEST_MEANING);
    assertThat(alert.at("/reason/maxLength").intValue()).isEqualTo(AlertEntry.LONGEST_REASON);
    assertThat(alert.at("/aliases/maxItems").intValue()).isEqualTo(AlertEntry.MOST_ALIASES);
    assertThat(alert.at("/nodeConditions/maxItems").intValue())
        .isEqualTo(AlertEntry.MOST_CONDITIONS);
    assertThat(alert.at("/symptomOf/maxItems").intValue()).isEqualTo(AlertEntry.MOST_CAUSES);
    assertThat(schemaText().at("/properties/alerts/maxProperties").intValue())
        .isEqualTo(AlertDocument.MOST_ALERTS);
    assertThat(schemaText().at("/$defs/name/pattern").textValue())
        .isEqualTo("^" + AlertEntry.NAME.pattern() + "$");
    assertThat(schemaText().at("/$defs/conditionType/pattern").textValue())
        .isEqualTo("^" + AlertEntry.CONDITION.pattern() + "$");
  }

  private static JsonNode schemaText() {
    try {
      return YAML.readTree(Files.readString(RESOURCES.resolve("alerts.schema.json")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the schema finds wrong in a document. */
  private static List<Error> mistakes(String document) {
    Schema schema =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
            .getSchema(schemaText());
    try {
      return schema.validate(YAML.readTree(document));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
