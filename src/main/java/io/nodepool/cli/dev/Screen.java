package io.nodepool.cli.dev;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.PoolView;
import io.nodepool.local.programs.Progress;
import io.nodepool.vocabulary.UserText;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The output of a command that shows the state of a cluster. */
interface Screen extends Progress {
  /** Shows the current state. */
  void show(ClusterView view);

  /** Prints a line and keeps it visible, if lines can be kept. */
  default void pin(String line) {
    say(line);
  }

  /** Prints the last line of the command. */
  default void conclude(String line) {
    say(line);
  }

  /**
   * Starts the live view.
   *
   * @param changed called when the view must be drawn again, for instance in another size
   * @param quit called when the user ends the command by a key
   */
  Showing open(Runnable changed, Runnable quit);

  /** The live view while it is open; closing restores the terminal. */
  interface Showing extends AutoCloseable {
    @Override
    void close();
  }

  /** The live view on a terminal; otherwise a line for each change. */
  static Screen on(PrintWriter out) {
    return CommandEnvironment.isOnTerminal()
        ? new LiveScreen(
            out, LiveScreen::systemTerminal, InstantSource.system(), System.getenv("NO_COLOR"))
        : new Lines(out);
  }

  /** Prints a line for each change of a pool and for each warning. */
  final class Lines implements Screen {
    private final PrintWriter out;
    private final Map<String, String> last = new HashMap<>();
    private final Set<EventView> warned = new HashSet<>();
    private final Progress progress = Progress.lines(this::say);

    Lines(PrintWriter out) {
      this.out = out;
    }

    @Override
    public void show(ClusterView view) {
      for (PoolView pool : view.pools()) {
        String line = pool.line();
        if (!line.equals(last.put(pool.name(), line))) {
          say(line);
        }
      }
      List<EventView> warnings = view.events().stream().filter(EventView::warning).toList();
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
      out.println(UserText.printable(line));
      out.flush();
    }

    @Override
    public void at(int percent, String line) {
      progress.at(percent, line);
    }

    @Override
    public Showing open(Runnable changed, Runnable quit) {
      return () -> {};
    }
  }
}
