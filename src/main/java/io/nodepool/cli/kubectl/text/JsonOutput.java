package io.nodepool.cli.kubectl.text;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** How facts are printed. */
public final class JsonOutput {
  private static final ObjectMapper JSON = new ObjectMapper();

  private JsonOutput() {}

  /** A document in the layout of kubectl. */
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
      return JSON.writer(printer).writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }
}
