package io.nodepool.plugin.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.plugin.WarningLog;
import io.nodepool.vocabulary.UserText;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What other clients wrote on objects does not control the terminal that it is printed on. */
class PrintedTextTest {
  /** A colour by the control sequence introducer of C1, and one by ESC. */
  private static final String COLOURS = "a\u009b31mb\u001b[31mc\u0085d";

  @Test
  void aCellHasNoControls() {
    assertThat(TextTable.plain(COLOURS)).isEqualTo("a 31mb [31mc d");
  }

  @Test
  void aWarningOfALibraryHasNone() {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      new WarningLog()
          .getLoggerFactory()
          .getLogger("library")
          .warn("the server says {}", COLOURS, new IllegalStateException(COLOURS));
    } finally {
      System.setErr(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "warning: the server says a 31mb [31mc d: java.lang.IllegalStateException: a 31mb [31mc d%n"
                .formatted());
  }

  @Test
  void jsonHasThemEscapedAndKeepsTheirValue() throws Exception {
    ObjectNode document = JsonNodeFactory.instance.objectNode().put("note", COLOURS + " ü 😀");

    String text = JsonOutput.text(document);

    assertThat(text).doesNotContain("\u009b", "\u001b", "\u0085").contains("ü 😀", "\\u009b31m");
    assertThat(new ObjectMapper().readTree(text)).isEqualTo(document);
  }

  @Test
  void aMessageKeepsItsLinesOnly() {
    assertThat(UserText.printable("one\u009b31m\ntwo\u001b]0;x\u0007\n"))
        .isEqualTo("one?31m\ntwo?]0;x?");
  }
}
