package io.nodepool.health.catalogue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class AlertCatalogueTest {
  private static final Path RESOURCES = Path.of("src/main/resources/io/nodepool/health/catalogue");
  private static final YAMLMapper YAML = new YAMLMapper();

  private final AlertCatalogue shipped = AlertCatalogue.shipped();

  private AlertCatalogue changed(String document) {
    return shipped.changedBy("alerts.yaml", document);
  }

  @Test
  void anEntryOfAKnownNameChangesTheFieldsThatItGives() {
    Alert before = shipped.alert("NodeMemoryError");
    AlertCatalogue changed =
        changed(
            """
            alerts:
              NodeMemoryError:
                grade: out when idle
                hold: 1h30m
                reason: our DIMMs fail for good
            """);

    Alert after = changed.alert("NodeMemoryError");
    assertThat(after.grade()).isEqualTo(Grade.OUT_WHEN_IDLE);
    assertThat(after.hold()).isEqualTo(Duration.ofMinutes(90));
    assertThat(after.basis())
        .isEqualTo(new Alert.Basis(Alert.Source.USER, "our DIMMs fail for good"));
    assertThat(after.withResponse(before.response()).withStanding(before.standing()))
        .isEqualTo(before.withBasis(after.basis()));
    assertThat(changed.all()).hasSameSizeAs(shipped.all());
    assertThat(changed.alert("GPUVeryHot")).isEqualTo(shipped.alert("GPUVeryHot"));
    assertThat(changed).isNotEqualTo(shipped);
    assertThat(changed("alerts: {}")).isEqualTo(shipped).hasSameHashCodeAs(shipped);
  }

  @Test
  void anEntryOfAnotherNameAddsAnAlert() {
    AlertCatalogue changed =
        changed(
            """
            alerts:
              RackLeaks:
                meaning: >
                  The leak sensor of the rack
                  is wet.
                subject: rack
                grade: manual
                aliases: [Leak]
                nodeConditions: [example.com/Leak]
              GPUWet:
                meaning: A GPU is wet.
                subject: GPU
                grade: reboot now
                symptomOf: [RackLeaks]
            """);

    Alert leak = changed.alert("RackLeaks");
    assertThat(leak.meaning()).isEqualTo("The leak sensor of the rack is wet.");
    assertThat(leak.hold()).isZero();
    assertThat(leak.perBoot()).isFalse();
    assertThat(leak.overridesEviction()).isFalse();
    assertThat(changed.find("Leak")).contains(leak);
    assertThat(changed.ofNodeCondition("example.com/Leak")).contains(leak);
    Alert wet = changed.alert("GPUWet");
    assertThat(wet.symptomOf()).containsExactly("RackLeaks");
    // It would boot again and again for what the boot has ended.
    assertThat(wet.perBoot()).isTrue();
    assertThat(wet.overridesEviction()).isTrue();
    assertThat(changed.all())
        .hasSize(shipped.all().size() + 2)
        .isSortedAccordingTo(Comparator.comparing(Alert::name));
  }

  @Test
  void anAlertWithAnotherGradeDecidesAnewWhetherItOverridesEviction() {
    assertThat(eviction("GPUFallenOffBus: {grade: watch}")).isFalse();
    assertThat(eviction("GPUFallenOffBus: {grade: reboot now}")).isTrue();
    assertThat(eviction("GPUFallenOffBus: {overridesEviction: false}")).isFalse();
    assertThat(eviction("GPUFallenOffBus: {hold: 1m}")).isTrue();
    assertThat(eviction("GPUFallenOffBus: {grade: out now, overridesEviction: false}")).isFalse();
  }

  private boolean eviction(String entry) {
    return changed("alerts: {" + entry + "}").alert("GPUFallenOffBus").overridesEviction();
  }

  @Test
  void changesOfChangedAlertsBuildOnThem() {
    AlertCatalogue twice =
        changed("alerts: {GPUVeryHot: {grade: manual}}")
            .changedBy("alerts.yaml", "alerts: {GPUVeryHot: {hold: 5m}}");
    assertThat(twice.alert("GPUVeryHot").grade()).isEqualTo(Grade.MANUAL);
  }

  @Test
  void anUnknownAlertIsWatchedAndSaysThatItIsUnknown() {
    Alert unknown = shipped.alert("NobodyKnowsIt");
    assertThat(unknown.name()).isEqualTo("NobodyKnowsIt");
    assertThat(unknown.grade()).isEqualTo(Grade.WATCH);
    assertThat(unknown.isKnown()).isFalse();
    assertThat(unknown.meaning()).startsWith("Unknown:");
    assertThat(unknown.overridesEviction()).isFalse();
    assertThat(shipped.find("NobodyKnowsIt")).isEmpty();
    assertThat(shipped.all()).allMatch(Alert::isKnown);
  }

  @Test
  void gradesAreOrderedByTheirStrength() {
    assertThat(Stream.of(Grade.values()).map(Grade::word))
        .containsExactly(
            "none",
            "watch",
            "manual",
            "rack investigation",
            "repair DPU",
            "reset host when idle",
            "reset host and DPU when idle",
            "reboot when idle",
            "reboot now",
            "out when idle",
            "out now");
    assertThat(Grade.values()).allMatch(grade -> grade.meaning().endsWith("."));
  }

  /**
   * A document that is wrong.
   *
   * @param schema whether the JSON schema can find that too
   */
  private record Wrong(String why, String document, String message, boolean schema) {
    @Override
    public String toString() {
      return why;
    }
  }

  private static Wrong form(String why, String document, String message) {
    return new Wrong(why, document.replace("; ", "\n"), message, true);
  }

  private static Wrong reference(String why, String document, String message) {
    return new Wrong(why, document.replace("; ", "\n"), message, false);
  }

  private static final String NEW = "meaning: M, subject: GPU, grade: watch";

  static List<Wrong> wrong() {
    return List.of(
        form(
            "unknown grade",
            "alerts:;   GPUVeryHot:;     hold: 5m;     grade: warch",
            "alerts.yaml line 4: grade of GPUVeryHot is \"warch\"; write one of: none, watch, manual, rack investigation, repair DPU, reset host when idle, reset host and DPU when idle, reboot when idle, reboot now, out when idle, out now."),
        form(
            "unknown subject",
            "alerts:;   GPUVeryHot:;     subject: gpu",
            "alerts.yaml line 3: subject of GPUVeryHot is \"gpu\"; write one of: Host, DPU, GPU, NVLink, switch, rack, domain."),
        form(
            "unknown field",
            "alerts:;   GPUVeryHot:;     garde: none",
            "alerts.yaml line 3: GPUVeryHot has no field \"garde\"; its fields are aliases, grade, hold, meaning, nodeConditions, overridesEviction, perBoot, reason, subject, symptomOf."),
        form(
            "negative hold",
            "alerts:;   GPUVeryHot:;     hold: -5m",
            "alerts.yaml line 3: hold of GPUVeryHot is \"-5m\"; write a duration that is not negative, such as 90s, 15m or 1h30m."),
        form(
            "hold without a unit",
            "alerts:;   GPUVeryHot: {hold: 5}",
            "alerts.yaml line 2: hold of GPUVeryHot is \"5\"; write a duration that is not negative, such as 90s, 15m or 1h30m."),
        reference(
            "too long a hold",
            "alerts:;   GPUVeryHot: {hold: 721h}",
            "alerts.yaml line 2: hold of GPUVeryHot is 721h; at most 720h are allowed."),
        form(
            "eviction of a grade that waits",
            "alerts:;   GPUVeryHot:;     grade: out when idle;     overridesEviction: true",
            "alerts.yaml line 4: overridesEviction of GPUVeryHot is true, but its grade is out when idle; only \"reboot now\" and \"out now\" can override eviction."),
        form(
            "flag that is none",
            "alerts:;   GPUVeryHot: {perBoot: maybe}",
            "alerts.yaml line 2: perBoot of GPUVeryHot must be true or false."),
        form(
            "text that is none",
            "alerts:;   GPUVeryHot: {meaning: 5}",
            "alerts.yaml line 2: meaning of GPUVeryHot must be a text; put it in quotation marks."),
        form(
            "empty text",
            "alerts:;   GPUVeryHot: {meaning: \"\"}",
            "alerts.yaml line 2: meaning of GPUVeryHot has 0 characters; it must have from 1 to 1000."),
        form(
            "too long a text",
            "alerts:;   GPUVeryHot: {meaning: \"" + "m".repeat(1001) + "\"}",
            "alerts.yaml line 2: meaning of GPUVeryHot has 1001 characters; it must have from 1 to 1000."),
        reference(
            "text that controls a terminal",
            "alerts:;   GPUVeryHot: {meaning: \"\\u202e\"}",
            "alerts.yaml line 2: meaning of GPUVeryHot contains characters that control a terminal."),
        form(
            "no list",
            "alerts:;   GPUVeryHot: {aliases: Hot}",
            "alerts.yaml line 2: aliases of GPUVeryHot must be a list, such as [a, b]."),
        form(
            "list in a list",
            "alerts:;   GPUVeryHot: {aliases: [[Hot]]}",
            "alerts.yaml line 2: an element of aliases of GPUVeryHot must be a single value."),
        form(
            "too many aliases",
            "alerts:;   GPUVeryHot: {aliases: [a, b, c, d, e, f, g, h, i]}",
            "alerts.yaml line 2: aliases of GPUVeryHot has 9 elements; at most 8 are allowed."),
        form(
            "alias twice",
            "alerts:;   GPUVeryHot:;     aliases:;       - Hot;       - Hot",
            "alerts.yaml line 5: aliases of GPUVeryHot has Hot twice."),
        form(
            "alias that cannot be a name",
            "alerts:;   GPUVeryHot: {aliases: [a.b]}",
            "alerts.yaml line 2: aliases of GPUVeryHot has \"a.b\", which is not of the form [A-Za-z]([-_A-Za-z0-9]{0,61}[A-Za-z0-9])?."),
        form(
            "name that is none",
            "alerts:;   9Hot: {" + NEW + "}",
            "alerts.yaml line 2: \"9Hot\" cannot be the name of an alert; it has from 1 to 63 letters, digits, '-' and '_', and begins with a letter."),
        form(
            "entry that is no mapping",
            "alerts:;   GPUVeryHot: out now",
            "alerts.yaml line 2: GPUVeryHot must be a mapping, such as \"name: value\"."),
        form(
            "another field than alerts",
            "alerts: {}; alarms: {}",
            "alerts.yaml line 2: a document has the field alerts only, not alarms."),
        form("no alerts", "{}", "alerts.yaml line 1: the document must have the field alerts."),
        form(
            "alerts that are a list",
            "alerts: [GPUVeryHot]",
            "alerts.yaml line 1: alerts of the document must be a mapping, such as \"name: value\"."),
        reference("nothing", "", "alerts.yaml is empty; it must have the field alerts."),
        reference(
            "a source",
            "alerts:;   GPUVeryHot: {source: ours}",
            "alerts.yaml line 2: source of GPUVeryHot is for entries that ship with the operator; leave it out."),
        reference(
            "new alert without a grade",
            "alerts:;   GPUVeryHott:;     meaning: M;     subject: GPU",
            "alerts.yaml line 3: GPUVeryHott is not known, so it needs a meaning, a subject and a grade, and has no grade. Correct the name, or add the field."),
        reference(
            "name that is an alias",
            "alerts:;   DPULinkFlapping: {grade: none}",
            "alerts.yaml line 2: DPULinkFlapping is an alias of DPULinkFlappingCPX; write that name."),
        reference(
            "alias that is a name",
            "alerts:;   GPUVeryHot: {aliases: [NodeMemoryError]}",
            "alerts.yaml line 2: alias NodeMemoryError of GPUVeryHot is the name of an alert; choose another one."),
        reference(
            "alias of another alert",
            "alerts:;   GPUVeryHot: {aliases: [DPULinkFlapping]}",
            "alerts.yaml line 2: alias DPULinkFlapping of GPUVeryHot is an alias of DPULinkFlappingCPX too; an alias belongs to one alert."),
        reference(
            "unknown cause",
            "alerts:;   GPUVeryHot:;     symptomOf: [Sunshine]",
            "alerts.yaml line 3: symptomOf of GPUVeryHot has Sunshine, which is no alert; write the name of one."),
        reference(
            "cause by its alias",
            "alerts:;   GPUVeryHot: {symptomOf: [NVLinkDomainDegraded]}",
            "alerts.yaml line 2: symptomOf of GPUVeryHot has NVLinkDomainDegraded, an alias; write its name, NVLinkDomainProductionNodeCountLow."),
        reference(
            "symptom of itself",
            "alerts:;   GPUVeryHot: {symptomOf: [GPUVeryHot]}",
            "alerts.yaml line 2: GPUVeryHot would be a symptom of itself: GPUVeryHot, of GPUVeryHot. Take one of these out of symptomOf."),
        reference(
            "symptoms in a cycle",
            "alerts:;   GPUVeryHot: {symptomOf: [NodeMemoryError]};   NodeMemoryError: {symptomOf: [MetalDevRedfishError]};   MetalDevRedfishError: {symptomOf: [NodeMemoryError]}",
            "alerts.yaml line 3: NodeMemoryError would be a symptom of itself: NodeMemoryError, of MetalDevRedfishError, of NodeMemoryError. Take one of these out of symptomOf."),
        reference(
            "cycle through a shipped symptom",
            "alerts:;   NodeGPUXID149NVSwitch: {symptomOf: [NodeGPUXID145]}",
            "alerts.yaml line 2: NodeGPUXID149NVSwitch would be a symptom of itself: NodeGPUXID149NVSwitch, of NodeGPUXID145, of NodeGPUXID149NVSwitch. Take one of these out of symptomOf."),
        reference(
            "condition of the kubelet",
            "alerts:;   GPUVeryHot: {nodeConditions: [Ready]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has Ready, which is a condition of the kubelet; name one that a monitor writes."),
        reference(
            "condition of the operator",
            "alerts:;   GPUVeryHot: {nodeConditions: [CWActive]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has CWActive, which is a condition of the operator; name one that a monitor writes."),
        reference(
            "condition of another alert",
            "alerts:;   GPUVeryHot: {nodeConditions: [GpuXid79]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has GpuXid79, which means GPUFallenOffBus already; a condition means one alert."),
        reference(
            "condition that the operator writes for an alert",
            "alerts:;   GPUVeryHot: {nodeConditions: [NodeMemoryError]}",
            "alerts.yaml line 2: nodeConditions of GPUVeryHot has NodeMemoryError, which the operator writes while the alert of this name stands; name one that a monitor writes."),
        reference(
            "name that is a condition",
            "alerts:;   GpuXid79: {" + NEW + "}",
            "alerts.yaml line 2: GpuXid79 is a condition of Nodes that means GPUFallenOffBus, so it cannot be the name of another alert."),
        reference(
            "name twice",
            "alerts:;   GPUVeryHot: {grade: none};   GPUVeryHot: {grade: watch}",
            "alerts.yaml line 3: \"GPUVeryHot\" is there twice in alerts of the document."),
        reference(
            "field twice",
            "alerts:;   GPUVeryHot:;     grade: none;     grade: watch",
            "alerts.yaml line 4: \"grade\" is there twice in GPUVeryHot."),
        reference(
            "no YAML",
            "alerts:;   GPUVeryHot: {grade: none;   NodeMemoryError: {}",
            "alerts.yaml line 3 is no YAML: while parsing a flow mapping expected ',' or '}', but got :."),
        reference(
            "two documents",
            "alerts: {}; ---; alerts: {}",
            "alerts.yaml line 2 is no YAML: expected a single document in the stream but found another document."),
        reference(
            "anchor",
            "alerts:;   GPUVeryHot: &hot {grade: none};   NodeMemoryError: *hot",
            "alerts.yaml line 2: GPUVeryHot has an anchor; write it out."),
        reference(
            "tag",
            "alerts:;   GPUVeryHot: !java.net.URL {grade: none}",
            "alerts.yaml line 2: GPUVeryHot has a tag; write it without."),
        reference(
            "nested too deeply",
            "alerts: " + "[".repeat(60),
            "alerts.yaml is no YAML: Nesting Depth exceeded max 50."),
        reference(
            "too large",
            "#".repeat(256 * 1024) + "\nalerts: {}",
            "alerts.yaml has 262155 characters; at most 262144 are allowed."),
        reference(
            "too many alerts",
            "alerts:\n"
                + IntStream.range(0, 500)
                    .mapToObj(i -> "  N%d: {%s}".formatted(i, NEW))
                    .collect(Collectors.joining("\n")),
            "alerts.yaml line 2: there would be 555 alerts; at most 500 are allowed."));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void aMistakeIsNamedWithItsLineAndWhatWouldBeRight(Wrong wrong) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> changed(wrong.document()))
        .withMessage(wrong.message());
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void theSchemaRefusesWhatHasAWrongForm(Wrong wrong) {
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
  static List<Error> mistakes(String document) {
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
