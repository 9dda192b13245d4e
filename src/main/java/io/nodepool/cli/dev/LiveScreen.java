package io.nodepool.cli.dev;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.Keys;
import io.nodepool.cli.view.Layout;
import io.nodepool.cli.view.Theme;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The screen of a terminal. Lines are printed as usual; the live view is drawn on the alternate
 * screen, so that the content of the shell and its history stay unchanged.
 */
final class LiveScreen implements Screen {
  private static final Duration NOTICE = Duration.ofMinutes(1);
  private static final int NOTICES = 3;
  private static final String NO_WRAPPING = "\u001b[?7l";
  private static final String WRAPPING = "\u001b[?7h";
  private static final String LINE_ABOVE_TAKEN_BACK = "\u001b[1A\r\u001b[J";

  /** Opens the terminal. */
  interface Source {
    Canvas.Tty open() throws IOException;
  }

  /** A line that was printed while the live view was shown. */
  private record Notice(Instant at, String line) {}

  private final PrintWriter out;
  private final Source source;
  private final InstantSource clock;
  private final boolean colour;
  private final List<String> pinned = new ArrayList<>();
  private final List<Notice> notices = new ArrayList<>();

  /** The fallback if the terminal cannot be drawn on. */
  private final Screen lines;

  /** These fields are guarded by this. */
  private Optional<Canvas> canvas = Optional.empty();

  private ClusterView last = ClusterView.EMPTY;
  private boolean isUnderWay;
  private Keys keys = Keys.NONE;

  /**
   * @param noColour the variable NO_COLOR
   */
  LiveScreen(PrintWriter out, Source source, InstantSource clock, @Nullable String noColour) {
    this.out = out;
    this.source = source;
    this.clock = clock;
    this.colour = Theme.isColoured(noColour);
    this.lines = new Lines(out);
  }

  /**
   * The terminal of this process, without signal handlers of JLine: with them no shutdown hook
   * would run.
   */
  static Canvas.Tty systemTerminal() throws IOException {
    Terminal terminal =
        TerminalBuilder.builder()
            .system(true)
            .dumb(true)
            .nativeSignals(false)
            .graphemeCluster(false)
            .build();
    return new Canvas.Tty(terminal, System.in);
  }

  @Override
  public synchronized Showing open(Runnable changed, Runnable quit) {
    try {
      Canvas.Tty tty = source.open();
      if (Canvas.canDraw(tty.terminal())) {
        canvas = Optional.of(new Canvas(tty, out, changed, key -> pressed(key, changed, quit)));
      } else {
        tty.terminal().close();
      }
    } catch (IOException | IllegalStateException e) {
      say("The live view is not available (%s); changes are printed.".formatted(e.getMessage()));
    }
    return this::leave;
  }

  private void pressed(int key, Runnable changed, Runnable quit) {
    synchronized (this) {
      if (keys.isTyping() || (key != 'q' && key != 'Q')) {
        keys = keys.after(key, last);
        changed.run();
        return;
      }
    }
    quit.run();
  }

  @Override
  public synchronized void show(ClusterView view) {
    last = view;
    if (canvas.isEmpty()) {
      lines.show(view);
      return;
    }
    Instant now = clock.instant();
    List<String> recent =
        notices.stream()
            .filter(notice -> notice.at().plus(NOTICE).isAfter(now))
            .map(Notice::line)
            .toList();
    Layout.Head head =
        new Layout.Head(
            pinned, recent.subList(Math.max(0, recent.size() - NOTICES), recent.size()), keys);
    canvas
        .get()
        .draw(
            size -> layout(canvas.get()).lines(view, head, size.getColumns(), size.getRows(), now));
  }

  private Layout layout(Canvas on) {
    return new Layout(new Theme(colour, on.encoding().equals(StandardCharsets.UTF_8)));
  }

  @Override
  public synchronized void say(String line) {
    if (canvas.isPresent()) {
      notices.add(new Notice(clock.instant(), line));
      show(last);
    } else {
      takeBack();
      lines.say(line);
    }
  }

  /**
   * Shows progress before the live view starts. The line ends with a line break, so that a later
   * error starts on a new line.
   */
  @Override
  public synchronized void at(int percent, String line) {
    if (canvas.isEmpty()) {
      takeBack();
      out.println(NO_WRAPPING + line + WRAPPING);
      out.flush();
      isUnderWay = true;
    }
  }

  private void takeBack() {
    if (isUnderWay) {
      out.print(LINE_ABOVE_TAKEN_BACK);
      isUnderWay = false;
    }
  }

  @Override
  public synchronized void pin(String line) {
    pinned.add(line.strip());
    say(line);
  }

  @Override
  public synchronized void conclude(String line) {
    end();
    lines.say(line);
  }

  private synchronized void leave() {
    if (canvas.isPresent()) {
      end();
      lines.say("Stopping ...");
    }
  }

  /**
   * Restores the terminal and prints the last state of the pools and the lines printed meanwhile.
   */
  private void end() {
    canvas.ifPresent(on -> {
      int width = on.close();
      canvas = Optional.empty();
      layout(on).pools(last, width).forEach(line -> out.println(on.ansi(line)));
      notices.forEach(notice -> lines.say(notice.line()));
      notices.clear();
    });
  }
}
