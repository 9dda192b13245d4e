package io.nodepool.cli;

import io.nodepool.local.Progress;
import java.io.Console;
import java.io.PrintWriter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where a command shows how things stand. */
interface Screen extends Progress {
  /** Shows how things stand now. */
  void show(Board.Picture picture);

  /** Prints a line that stays, above the picture. */
  @Override
  void say(String line);

  /** Prints the line that the command ends with, below the picture. */
  void conclude(String line);

  /** A terminal's screen is redrawn in place; elsewhere there is a line for each change. */
  // Whether there is a console where there is no terminal differs from one JDK to the next.
  @SuppressWarnings("SystemConsoleNull")
  static Screen on(PrintWriter out) {
    Console console = System.console();
    return console != null && console.isTerminal() ? new Terminal(out) : new Lines(out);
  }

  /** Redraws the picture below what was said. */
  final class Terminal implements Screen {
    private static final String NO_WRAPPING = "\u001b[?7l";
    private static final String WRAPPING = "\u001b[?7h";

    private final PrintWriter out;
    private List<String> drawn = List.of();
    private boolean isUnderWay;

    Terminal(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void show(Board.Picture picture) {
      List<String> lines = BoardText.lines(picture);
      if (!lines.equals(drawn)) {
        erase();
        draw(lines);
      }
    }

    @Override
    public void say(String line) {
      List<String> picture = drawn;
      erase();
      out.println(line);
      draw(picture);
    }

    /** With its end of line, so that an error that follows gets one of its own. */
    @Override
    public void at(int percent, String line) {
      erase();
      out.println(NO_WRAPPING + line + WRAPPING);
      out.flush();
      isUnderWay = true;
    }

    @Override
    public void conclude(String line) {
      out.println();
      out.println(line);
      out.flush();
      drawn = List.of();
    }

    private void erase() {
      int above = isUnderWay ? 1 : drawn.isEmpty() ? 0 : drawn.size() + 1;
      if (above > 0) {
        out.printf("\u001b[%dA\r\u001b[J", above);
      }
      isUnderWay = false;
      drawn = List.of();
    }

    /** A line that wrapped would take two rows, and the next redraw would begin too low. */
    private void draw(List<String> lines) {
      if (!lines.isEmpty()) {
        out.print(NO_WRAPPING);
        out.println();
        lines.forEach(out::println);
        out.print(WRAPPING);
      }
      out.flush();
      drawn = lines;
    }
  }

  /** A line for each change of a pool and for each warning. */
  final class Lines implements Screen {
    private final PrintWriter out;
    private final Map<String, String> last = new HashMap<>();
    private final Set<Board.Told> warned = new HashSet<>();
    private final Progress progress = Progress.lines(this::say);

    Lines(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void show(Board.Picture picture) {
      for (PoolView pool : picture.pools()) {
        String line = BoardText.line(pool);
        if (!line.equals(last.put(pool.name(), line))) {
          say(line);
        }
      }
      for (Board.Told event : picture.events()) {
        if (event.type().equals("Warning") && warned.add(event)) {
          say("Warning %s on %s: %s".formatted(event.reason(), event.about(), event.message()));
        }
      }
      warned.retainAll(picture.events());
    }

    @Override
    public void say(String line) {
      out.println(line);
      out.flush();
    }

    @Override
    public void at(int percent, String line) {
      progress.at(percent, line);
    }

    @Override
    public void conclude(String line) {
      say(line);
    }
  }
}
