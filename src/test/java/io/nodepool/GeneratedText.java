package io.nodepool;

import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares committed texts with what generates them: a failure shows the first lines that differ.
 */
public final class GeneratedText {
  private static final int LINES = 5;
  private static final int WIDTH = 160;

  private GeneratedText() {}

  /** The command that writes what a test class compares, with the property that asks for it. */
  public static String writing(Class<?> test, String property) {
    return "./mvnw test -Pquick -Dtest=%s -D%s=true".formatted(test.getSimpleName(), property);
  }

  /** Fails with the command that mends it, unless the file has this text. */
  public static void assertSame(Path file, String generated, String command) throws IOException {
    assertSame(file, Files.exists(file) ? Files.readString(file) : "", generated, command);
  }

  /**
   * Fails with the command that mends it, unless both texts, of which one is in a file, are equal.
   */
  public static void assertSame(Path file, String committed, String generated, String command) {
    if (!committed.equals(generated)) {
      fail("%s%nTo mend it: %s".formatted(difference(file, committed, generated), command));
    }
  }

  /** Of the lines between the first and the last that differ, the first of each text. */
  static String difference(Path file, String committed, String generated) {
    List<String> old = committed.lines().toList();
    List<String> now = generated.lines().toList();
    int same = 0;
    int shorter = Math.min(old.size(), now.size());
    while (same < shorter && old.get(same).equals(now.get(same))) {
      same++;
    }
    int end = 0;
    while (end < shorter - same
        && old.get(old.size() - 1 - end).equals(now.get(now.size() - 1 - end))) {
      end++;
    }
    List<String> shown = new ArrayList<>();
    shown.add(
        "%s is not as generated, from line %d on: - the file (%d lines differ), + what is generated (%d)"
            .formatted(file, same + 1, old.size() - end - same, now.size() - end - same));
    int column = column(old, now, same);
    shown.addAll(lines("-", old.subList(same, old.size() - end), same, column));
    shown.addAll(lines("+", now.subList(same, now.size() - end), same, column));
    return String.join("\n", shown);
  }

  private static int column(List<String> old, List<String> now, int line) {
    String one = line < old.size() ? old.get(line) : "";
    String other = line < now.size() ? now.get(line) : "";
    int column = 0;
    while (column < Math.min(one.length(), other.length())
        && one.charAt(column) == other.charAt(column)) {
      column++;
    }
    return column;
  }

  private static List<String> lines(String sign, List<String> lines, int before, int column) {
    List<String> shown = new ArrayList<>();
    for (int i = 0; i < Math.min(lines.size(), LINES); i++) {
      shown.add(
          "%s %d: %s".formatted(sign, before + i + 1, cut(lines.get(i), i == 0 ? column : 0)));
    }
    return shown;
  }

  /** Of a long line the part at which the texts differ. */
  private static String cut(String line, int column) {
    int from = column < WIDTH ? 0 : Math.min(column, line.length()) - WIDTH / 2;
    int to = Math.min(line.length(), from + WIDTH);
    return (from > 0 ? "..." : "") + line.substring(from, to) + (to < line.length() ? "..." : "");
  }
}
