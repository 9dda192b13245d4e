package io.nodepool.gitops;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.luaj.vm2.Globals;
import org.luaj.vm2.LuaTable;
import org.luaj.vm2.LuaValue;
import org.luaj.vm2.lib.jse.CoerceJavaToLua;
import org.luaj.vm2.lib.jse.JsePlatform;

/** The health checks that {@code docs/gitops.md} gives to Argo CD and Flux. */
public final class HealthChecks {
  private static final Path PAGE = Path.of("docs", "gitops.md");
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String OF_ARGO =
      "resource.customizations.health.compute.coreweave.com_NodePool";

  /** What a check finds of an object; Argo CD has a message, too. */
  public record Health(String status, String message) {}

  private final String lua;
  private final JsonNode flux;
  private final CelCompiler compiler =
      CelCompilerFactory.standardCelCompilerBuilder()
          .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
          .addVar("metadata", SimpleType.DYN)
          .addVar("spec", SimpleType.DYN)
          .addVar("status", SimpleType.DYN)
          .build();
  private final CelRuntime runtime = CelRuntimeFactory.legacyCelRuntimeBuilder().build();

  private HealthChecks(String lua, JsonNode flux) {
    this.lua = lua;
    this.flux = flux;
  }

  /** Those that the page shows. */
  public static HealthChecks documented() {
    try {
      Matcher block = Pattern.compile("(?s)```yaml\n(.*?)```").matcher(Files.readString(PAGE));
      List<JsonNode> shown = block.results().map(found -> yaml(found.group(1))).toList();
      return new HealthChecks(
          shown.stream()
              .map(each -> each.path("data").path(OF_ARGO))
              .filter(JsonNode::isTextual)
              .findFirst()
              .orElseThrow()
              .asText(),
          shown.stream()
              .map(each -> each.path("spec").path("healthCheckExprs").path(0))
              .filter(JsonNode::isObject)
              .findFirst()
              .orElseThrow());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode yaml(String text) {
    try {
      return YAML.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(text, e);
    }
  }

  /** What Argo CD finds: it runs the script with the object as {@code obj}. */
  public Health ofArgo(JsonNode object) {
    Globals globals = JsePlatform.standardGlobals();
    globals.set("obj", lua(object));
    LuaValue found = globals.load(lua, OF_ARGO).call();
    return new Health(found.get("status").checkjstring(), found.get("message").checkjstring());
  }

  private static LuaValue lua(JsonNode json) {
    if (json.isObject()) {
      LuaTable table = new LuaTable();
      json.properties().forEach(each -> table.set(each.getKey(), lua(each.getValue())));
      return table;
    }
    if (json.isArray()) {
      LuaTable table = new LuaTable();
      for (int place = 0; place < json.size(); place++) {
        table.set(place + 1, lua(json.get(place)));
      }
      return table;
    }
    return json.isNumber()
        ? LuaValue.valueOf(json.asDouble())
        : json.isTextual()
            ? LuaValue.valueOf(json.asText())
            : CoerceJavaToLua.coerce(json.asBoolean());
  }

  /**
   * What Flux finds, by the rules of its RFC 0009: a status of an earlier generation is in
   * progress, then the expressions count in the order inProgress, failed, current. A field that
   * does not exist is an error, after which it waits.
   */
  public String ofFlux(JsonNode object) {
    JsonNode observed = object.at("/status/observedGeneration");
    if (observed.isNumber() && observed.asLong() != object.at("/metadata/generation").asLong()) {
      return "InProgress";
    }
    Map<String, Object> fields = new ObjectMapper().convertValue(object, new TypeReference<>() {});
    for (Map.Entry<String, String> each :
        List.of(
            Map.entry("inProgress", "InProgress"),
            Map.entry("failed", "Failed"),
            Map.entry("current", "Current"))) {
      Object found =
          flux.has(each.getKey()) ? value(flux.get(each.getKey()).asText(), fields) : false;
      if (!found.equals(false)) {
        return found.equals(true) ? each.getValue() : "Unknown";
      }
    }
    return "InProgress";
  }

  /** The value of an expression; no boolean if it reads a field that does not exist. */
  private Object value(String expression, Map<String, Object> fields) {
    try {
      return runtime.createProgram(compiler.compile(expression).getAst()).eval(fields);
    } catch (CelEvaluationException e) {
      return e;
    } catch (CelValidationException e) {
      throw new IllegalArgumentException(expression, e);
    }
  }
}
