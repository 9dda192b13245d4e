package io.nodepool.kubernetes.api;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page in Markdown, written from top to bottom. */
final class Markdown {
  private final StringBuilder text = new StringBuilder();

  Markdown(String title) {
    text.append("# ").append(title).append('\n');
    text.append('\n')
        .append(
            "<!-- Generated from the code. To regenerate: ./mvnw test -Pquick -Dtest=ReferencePagesTest -Dreference.write=true -->\n");
  }

  /** A heading of the second level. */
  Markdown heading(String heading) {
    text.append("\n## ").append(heading).append('\n');
    return this;
  }

  /** A paragraph. */
  Markdown paragraph(String paragraph) {
    text.append('\n').append(paragraph).append('\n');
    return this;
  }

  /** A block of code. */
  Markdown block(String language, String code) {
    text.append("\n```").append(language).append('\n').append(code.strip()).append("\n```\n");
    return this;
  }

  /** A list of points. */
  Markdown points(List<String> points) {
    text.append('\n');
    points.forEach(point -> text.append("- ").append(point).append('\n'));
    return this;
  }

  /** A table; its cells are Markdown, in which a bar is escaped. */
  Markdown table(List<String> head, List<List<String>> rows) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(head);
    lines.add(head.stream().map(_ -> "---").toList());
    lines.addAll(rows);
    text.append('\n');
    for (List<String> line : lines) {
      text.append(
          line.stream()
              .map(cell -> cell.replace("|", "\\|"))
              .collect(Collectors.joining(" | ", "| ", " |\n")));
    }
    return this;
  }

  /** A table of pairs: its cells are made of the name at the left and the one at the top. */
  Markdown matrix(String corner, List<String> left, List<String> top, BinaryOperator<String> cell) {
    return table(
        Stream.concat(Stream.of(corner), top.stream()).toList(),
        left.stream()
            .map(one ->
                Stream.concat(Stream.of(one), top.stream().map(other -> cell.apply(one, other)))
                    .toList())
            .toList());
  }

  /** The page. */
  String text() {
    return text.toString();
  }

  /** A literal as code; empty for empty text. */
  static String code(String word) {
    return word.isEmpty() ? "" : "`" + word + "`";
  }

  /** A row of cells. */
  static List<String> row(String... cells) {
    return Arrays.asList(cells);
  }
}
