package io.nodepool.plugin.text;

import io.nodepool.vocabulary.UserText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rows of aligned columns, in the layout of kubectl. */
public final class TextTable {
  private static final Pattern CONTROLS = Pattern.compile(UserText.CONTROL.pattern() + "+");

  private final String indent;
  private final int gap;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param indent the begin of each line
   * @param gap the blanks between two columns
   */
  public TextTable(String indent, int gap) {
    this.indent = indent;
    this.gap = gap;
  }

  /** Adds a row; all rows have the same number of cells. */
  public TextTable row(String... cells) {
    return row(List.of(cells));
  }

  /** Adds a row; all rows have the same number of cells. */
  public TextTable row(List<String> cells) {
    // Blanks before a text show its place in a tree.
    rows.add(
        cells.stream()
            .map(cell -> CONTROLS.matcher(cell).replaceAll(" ").stripTrailing())
            .toList());
    return this;
  }

  /** Prints the rows. */
  public void print(PrintWriter out) {
    printLast(out, rows.size());
  }

  /** Prints the table below a title; prints {@code <none>} if it has only a header. */
  public void printBelow(String title, PrintWriter out) {
    if (rows.size() > 1) {
      out.println(title);
      print(out);
    } else {
      out.println(title + "  <none>");
    }
  }

  /** Prints the last rows, in the widths of all rows. */
  void printLast(PrintWriter out, int count) {
    for (List<String> row : rows.subList(rows.size() - count, rows.size())) {
      StringBuilder line = new StringBuilder(indent);
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        line.append(cell);
        if (column < row.size() - 1) {
          line.repeat(' ', width(column) - cell.length() + gap);
        }
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
  }

  /** A text in one line, without characters that control a terminal. */
  public static String plain(String text) {
    return CONTROLS.matcher(text).replaceAll(" ").strip();
  }

  /** A text, or {@code <none>}, as in kubectl, if it is empty. */
  public static String orNone(String text) {
    return text.isEmpty() ? "<none>" : text;
  }
}
