package io.nodepool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GeneratedTextTest {
  private static final Path PAGE = Path.of("page.md");

  @Test
  void aFailureShowsTheLinesThatDifferAndTheCommandThatMendsIt() {
    assertThatThrownBy(() ->
            GeneratedText.assertSame(
                PAGE,
                "a\nb\nc\n",
                "a\nB\nB2\nc\n",
                GeneratedText.writing(GeneratedTextTest.class, "page.write")))
        .hasMessage(
            """
            page.md is not as generated, from line 2 on: - the file (1 lines differ), + what is generated (2)
            - 2: b
            + 2: B
            + 3: B2
            To mend it: ./mvnw test -Pquick -Dtest=GeneratedTextTest -Dpage.write=true\
            """
                .formatted());
    assertThatCode(() -> GeneratedText.assertSame(PAGE, "a\n", "a\n", ""))
        .doesNotThrowAnyException();
  }

  @Test
  void aTextIsNotRepeated() {
    String page =
        IntStream.range(0, 20_000).mapToObj(i -> "line " + i + "\n").collect(Collectors.joining());

    assertThat(GeneratedText.difference(PAGE, "", page)).hasLineCount(6);
    assertThat(GeneratedText.difference(PAGE, page, page.replace("line", "row"))).hasLineCount(11);
    assertThat(GeneratedText.difference(PAGE, page, page + "end\n"))
        .endsWith("\n+ 20001: end")
        .hasLineCount(2);
  }

  @Test
  void ofALongLineThePartIsShownThatDiffers() {
    String row = "| " + "word ".repeat(1000);

    assertThat(GeneratedText.difference(PAGE, row + "x |", row + "y |"))
        .contains("word x |\n", "word y |")
        .hasSizeLessThan(500);
  }

  @Test
  void textsThatDifferInTheirLastLineBreakAreNotTheSame() {
    assertThatThrownBy(() -> GeneratedText.assertSame(PAGE, "a", "a\n", "mend"))
        .hasMessageContaining("page.md")
        .hasMessageEndingWith("To mend it: mend");
  }
}
