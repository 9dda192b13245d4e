package io.nodepool.cli.dev;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.PoolView;
import io.nodepool.local.Progress;
import java.io.Console;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where a command shows how things stand. */
interface Screen extends Progress {
  /** Shows how things stand now. */
  void show(ClusterView picture);

  /** Prints a line that stays. */
  @Override
  void say(String line);

  /** Prints a line that stays, and keeps it in sight. */
  void pin(String line);

  /** Prints the line that the command ends with. */
  void conclude(String line);

  /**
   * Begins to show pictures.
   *
   * @param changed to be called when what is shown has to be drawn anew, in another size
   * @param quit to be called when the user ends the command by a key
   */
  Showing open(Runnable changed, Runnable quit);

  /** As long as this is open pictures can be shown; then the terminal is as it was before. */
  interface Showing extends AutoCloseable {
    @Override
    void close();
  }

  /** A terminal shows the live view; elsewhere there is a line for each change. */
  // Whether there is a console where there is no terminal differs from one JDK to the next.
  @SuppressWarnings("SystemConsoleNull")
  static Screen on(PrintWriter out) {
    Console console = System.console();
    return console != null && console.isTerminal() && !"dumb".equals(System.getenv("TERM"))
        ? new LiveScreen(
            out, LiveScreen::systemTerminal, InstantSource.system(), System.getenv("NO_COLOR"))
        : new Lines(out);
  }

  /** A line for each change of a pool and for each warning. */
  final class Lines implements Screen {
    private final PrintWriter out;
    private final Map<String, String> last = new HashMap<>();
    private final Set<EventView> warned = new HashSet<>();
    private final Progress progress = Progress.lines(this::say);

    Lines(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void show(ClusterView picture) {
      for (PoolView pool : picture.pools()) {
        String line = BoardText.line(pool);
        if (!line.equals(last.put(pool.name(), line))) {
          say(line);
        }
      }
      List<EventView> warnings = picture.events().stream().filter(EventView::warning).toList();
      for (EventView event : warnings) {
        if (warned.add(event)) {
          say(
              "Warning %s on %s/%s: %s"
                  .formatted(event.reason(), event.kind(), event.name(), event.message()));
        }
      }
      warned.retainAll(warnings);
    }

    @Override
    public void say(String line) {
      out.println(line);
      out.flush();
    }

    @Override
    public void pin(String line) {
      say(line);
    }

    @Override
    public void at(int percent, String line) {
      progress.at(percent, line);
    }

    @Override
    public void conclude(String line) {
      say(line);
    }

    @Override
    public Showing open(Runnable changed, Runnable quit) {
      return () -> {};
    }
  }
}
