package io.nodepool.drill.document;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.nodepool.drill.Expectation;
import io.nodepool.drill.Scenario;
import io.nodepool.drill.script.ScriptEntry;
import io.nodepool.drill.script.When;
import io.nodepool.drill.workload.Autoscaler;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.cluster.document.DataCentreDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Reads a scenario from its file. */
public final class ScenarioDocument {
  /** The fields of a scenario. */
  static final Set<String> FIELDS =
      Set.of("name", "lasts", "dataCentre", "autoscaler", "objects", "script", "expect");

  /** The fields of an expectation. */
  static final Set<String> EXPECTATION = Set.of("that", "always", "atEnd", "at", "holds");

  /** The fields of the autoscaler. */
  static final Set<String> AUTOSCALER = Set.of("scanInterval", "unneededTime", "provisionTime");

  private static final Duration LONGEST = Duration.ofDays(366);
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;

  private ScenarioDocument(Path file) {
    this.file = file;
  }

  /**
   * Reads a scenario.
   *
   * @throws ScenarioMistake if it is wrong
   */
  public static Scenario read(Path file) {
    return new ScenarioDocument(file).read();
  }

  private Scenario read() {
    String source = file.getFileName() + ": ";
    List<JsonNode> documents = documents(file.toString(), file);
    if (documents.size() != 1) {
      throw new ScenarioMistake(
          file.toString(),
          "must be one YAML document with the fields dataCentre, objects, script and expect, and has %d"
              .formatted(documents.size()));
    }
    Fields fields = Fields.of(source, documents.getFirst(), FIELDS);
    Duration lasts = fields.requiredDuration("lasts", "lasts: 24h");
    if (lasts.isZero() || lasts.compareTo(LONGEST) > 0) {
      throw new ScenarioMistake(fields.at("lasts"), "must be above 0 and at most 366d");
    }
    Scenario.Site site = site(fields);
    ObjectsDocument objects = new ObjectsDocument();
    List<JsonNode> manifests = fields.items("objects");
    for (int i = 0; i < manifests.size(); i++) {
      String where = fields.at("objects[%d]".formatted(i));
      manifests(where, manifests.get(i)).forEach(each -> objects.add(where, each));
    }
    Scenario.Objects all = objects.objects(autoscaler(fields));
    List<ScriptEntry> script =
        new ScriptDocument(all, this::manifests).read(fields.at("script"), fields.items("script"));
    for (ScriptEntry entry : script) {
      if (entry.when() instanceof When.At(Duration time) && time.compareTo(lasts) >= 0) {
        throw new ScenarioMistake(
            fields.at("script"),
            "\"%s\" would happen after the end; lasts is %s"
                .formatted(entry.text(), fields.get("lasts").asText()));
      }
    }
    List<Expectation> expectations = expectations(fields, lasts);
    return new Scenario(
        fields.text("name").orElse(name()),
        lasts,
        site,
        all,
        script,
        expectations,
        objects.warnings);
  }

  private static Optional<Autoscaler.Settings> autoscaler(Fields fields) {
    if (!fields.has("autoscaler")) {
      return Optional.empty();
    }
    Fields given = Fields.of(fields.at("autoscaler"), fields.get("autoscaler"), AUTOSCALER);
    Autoscaler.Settings own = Autoscaler.Settings.DEFAULTS;
    Autoscaler.Settings settings =
        new Autoscaler.Settings(
            given.duration("scanInterval").orElse(own.scanInterval()),
            given.duration("unneededTime").orElse(own.unneededTime()),
            given.duration("provisionTime").orElse(own.provisionTime()));
    if (settings.scanInterval().isZero()) {
      throw new ScenarioMistake(given.at("scanInterval"), "must be above 0");
    }
    return Optional.of(settings);
  }

  private String name() {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".yaml") ? name.substring(0, name.length() - 5) : name;
  }

  private Scenario.Site site(Fields fields) {
    if (!fields.has("dataCentre")) {
      throw new ScenarioMistake(
          file.toString(),
          "lacks dataCentre: the spec of a SimulatedFleet, or file: with a manifest of one");
    }
    JsonNode spec = fields.get("dataCentre");
    String where = fields.at("dataCentre");
    if (spec.has("file")) {
      spec = manifests(where, spec.path("file").asText()).getFirst().path("spec");
    }
    try {
      SimulatedFleetSpec read = JSON.convertValue(spec, SimulatedFleetSpec.class);
      return switch (DataCentreDocument.read(read, InstanceCatalogue.bundled())) {
        case DataCentreDocument.Reading.Valid(var dataCentre, String kubelet) ->
            new Scenario.Site(dataCentre, kubelet, spec.has("seed"));
        case DataCentreDocument.Reading.Invalid(String why) ->
            throw new ScenarioMistake(where, why);
      };
    } catch (IllegalArgumentException e) {
      throw new ScenarioMistake(
          where, String.valueOf(e.getMessage()).lines().findFirst().orElse("cannot be read"), e);
    }
  }

  /** A manifest, or the manifests of the file that it names. */
  private Stream<JsonNode> manifests(String where, JsonNode item) {
    return item.has("file") && item.size() == 1
        ? manifests(where, item.path("file").asText()).stream()
        : Stream.of(item);
  }

  private List<JsonNode> manifests(String where, String name) {
    List<JsonNode> found = documents(where, file.resolveSibling(name));
    if (found.isEmpty()) {
      throw new ScenarioMistake(where, name + " contains no object");
    }
    return found;
  }

  private static List<JsonNode> documents(String where, Path path) {
    try (MappingIterator<JsonNode> documents =
        YAML.readerFor(JsonNode.class).readValues(Files.readString(path))) {
      List<JsonNode> all = new ArrayList<>();
      while (documents.hasNextValue()) {
        JsonNode next = documents.nextValue();
        if (!next.isNull() && !next.isMissingNode()) {
          all.add(next);
        }
      }
      return all;
    } catch (JsonProcessingException e) {
      throw new ScenarioMistake(
          where,
          "%sis no YAML: line %d: %s"
              .formatted(
                  path.toString().equals(where) ? "" : path + " ",
                  e.getLocation().getLineNr(),
                  e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    } catch (NoSuchFileException e) {
      throw new ScenarioMistake(where, "%s does not exist".formatted(path), e);
    } catch (IOException e) {
      throw new ScenarioMistake(where, "%s cannot be read: %s".formatted(path, e), e);
    }
  }

  private static List<Expectation> expectations(Fields fields, Duration lasts) {
    List<JsonNode> items = fields.items("expect");
    List<Expectation> all = new ArrayList<>();
    for (int i = 0; i < items.size(); i++) {
      String where = fields.at("expect[%d]".formatted(i));
      Fields each = Fields.of(where, items.get(i), EXPECTATION);
      boolean at = each.has("at") && each.has("holds");
      long ways = Stream.of(each.has("always"), each.has("atEnd"), at).filter(is -> is).count();
      if (ways != 1 || each.has("at") != each.has("holds")) {
        throw new ScenarioMistake(
            where,
            "must have one of always: EXPRESSION, atEnd: EXPRESSION, or at: 2h with holds: EXPRESSION");
      }
      String field = at ? "holds" : each.has("always") ? "always" : "atEnd";
      Expectation.Moment moment =
          at
              ? new Expectation.Moment.At(moment(each, lasts))
              : each.has("always")
                  ? new Expectation.Moment.Always()
                  : new Expectation.Moment.AtEnd();
      String expression = each.text(field).orElseThrow();
      try {
        all.add(Expectation.of(each.text("that").orElse(expression), moment, expression));
      } catch (IllegalArgumentException e) {
        throw new ScenarioMistake(
            each.at(field), "is no expression in CEL: %s".formatted(e.getMessage()), e);
      }
    }
    return all;
  }

  private static Duration moment(Fields each, Duration lasts) {
    Duration time = each.requiredDuration("at", "at: 2h");
    if (time.compareTo(lasts) > 0) {
      throw new ScenarioMistake(each.at("at"), "is after the end");
    }
    return time;
  }
}
