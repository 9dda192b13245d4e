package io.nodepool.plugin.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import io.nodepool.vocabulary.UserText;

/** How facts are printed. */
public final class JsonOutput {
  private static final char FIRST_BEYOND_ASCII = 0x7f;

  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonOutput() {}

  /** Escapes the controls beyond those that JSON itself escapes. */
  private static String escaped(String json) {
    return UserText.CONTROL
        .matcher(json)
        .replaceAll(found -> {
          char control = found.group().charAt(0);
          return control < FIRST_BEYOND_ASCII
              ? found.group()
              : "\\\\u%04x".formatted((int) control);
        });
  }

  /** A document as JSON or YAML. */
  public static String text(JsonNode document, OutputFormat format) {
    return switch (format) {
      case YAML -> yaml(document);
      case JSON -> text(document);
      case WIDE, NAME -> throw new IllegalArgumentException(format.toString());
    };
  }

  /** YAML in the layout of kubectl; it escapes controls by itself. */
  private static String yaml(JsonNode document) {
    YAMLFactory layout =
        YAMLFactory.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .disable(YAMLGenerator.Feature.SPLIT_LINES)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .build();
    try {
      return escaped(new ObjectMapper(layout).writeValueAsString(document)).stripTrailing();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }

  /** A document as JSON in the layout of kubectl, without characters that control a terminal. */
  public static String text(JsonNode document) {
    DefaultIndenter indent = new DefaultIndenter("    ", "\n");
    DefaultPrettyPrinter printer =
        new DefaultPrettyPrinter(
            Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator(""));
    printer.indentObjectsWith(indent);
    printer.indentArraysWith(indent);
    try {
      return escaped(JSON.writer(printer).writeValueAsString(document));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }
}
