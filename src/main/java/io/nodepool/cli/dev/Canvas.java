package io.nodepool.cli.dev;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jline.utils.Curses;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.Signals;

/**
 * The whole of a terminal, to be drawn on until it is given back. Of a drawing only what differs
 * from the one before is written.
 */
final class Canvas {
  private static final String RESIZED = "WINCH";
  private static final int CTRL_L = 12;
  private static final long KEYS_EVERY_MILLIS = 100;

  /** As a control character: no key does that. */
  private static final int NO_KEY = 0;

  /** What a terminal has that says nothing about its size. */
  private static final Size UNKNOWN = Size.of(80, 24);

  private final Terminal terminal;
  private final PrintWriter out;
  private final Runnable changed;
  private final Runnable quit;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Display display;
  private final Attributes before;
  private final String giveBack;
  private final Charset encoding;
  private final Object resizedBefore;
  private Size size;
  private List<AttributedString> drawn = List.of();
  private volatile boolean stale;

  /**
   * A terminal.
   *
   * @param keys what is typed
   */
  record Tty(Terminal terminal, InputStream keys) {}

  /** Whether a terminal can be drawn on at all. */
  static boolean canDraw(Terminal terminal) {
    return !terminal.getType().startsWith(Terminal.TYPE_DUMB)
        && terminal.getStringCapability(Capability.clear_screen) != null
        && (terminal.getStringCapability(Capability.cursor_address) != null
            || terminal.getStringCapability(Capability.cursor_up) != null);
  }

  /**
   * Takes the terminal over.
   *
   * @param out the same terminal, which can be written to when JLine has closed it
   * @param changed called when the terminal's size changed, or all is to be drawn anew
   * @param quit called at the key that ends the command
   */
  Canvas(Tty tty, PrintWriter out, Runnable changed, Runnable quit) {
    this.terminal = tty.terminal();
    this.out = out;
    this.changed = changed;
    this.quit = quit;
    this.encoding = terminal.outputEncoding();
    this.size = sizeNow();
    this.giveBack = giveBack();
    if (terminal.getStringCapability(Capability.enter_ca_mode) == null) {
      // Without an alternate screen: what the screen shows scrolls away and can be scrolled back.
      out.print("\n".repeat(size.getRows()));
      out.flush();
    }
    this.before = terminal.enterRawMode();
    terminal.setAttributes(withSignals(terminal.getAttributes()));
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    this.display = new Display(terminal, true);
    display.resize(size);
    display.clear();
    this.resizedBefore = Signals.register(RESIZED, changed);
    Thread.ofPlatform().daemon().name("keys").start(() -> readKeys(tty.keys()));
  }

  /**
   * Ctrl-C stays a signal, so that it works whatever this program does. Nobody gives the terminal
   * back at the other two: suspending, and a dump of all threads.
   */
  private static Attributes withSignals(Attributes raw) {
    Attributes attributes = new Attributes(raw);
    attributes.setLocalFlag(Attributes.LocalFlag.ISIG, true);
    attributes.setControlChar(Attributes.ControlChar.VSUSP, NO_KEY);
    attributes.setControlChar(Attributes.ControlChar.VQUIT, NO_KEY);
    return attributes;
  }

  private String giveBack() {
    StringBuilder text = new StringBuilder();
    text.append(capability(Capability.exit_attribute_mode));
    text.append(capability(Capability.cursor_normal));
    String leave = capability(Capability.exit_ca_mode);
    return text.append(leave.isEmpty() ? "\r\n" : leave).toString();
  }

  private String capability(Capability capability) {
    String text = terminal.getStringCapability(capability);
    return text == null ? "" : Curses.tputs(text);
  }

  /**
   * Looks for keys now and then. A read that waits for one could not be ended, and would take the
   * first key that is meant for the shell.
   */
  private void readKeys(InputStream keys) {
    try {
      while (!closed.await(KEYS_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        while (keys.available() > 0) {
          switch (keys.read()) {
            case 'q', 'Q' -> quit.run();
            case CTRL_L -> {
              stale = true;
              changed.run();
            }
            default -> {}
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // The terminal is gone; a signal comes with that.
    }
  }

  /** The encoding of what is written to the terminal. */
  Charset encoding() {
    return encoding;
  }

  /** Draws what fits into this size. Nothing is written when nothing changed. */
  void draw(Function<Size, List<AttributedString>> lines) {
    try {
      Size now = sizeNow();
      if (!now.equals(size) || stale) {
        stale = false;
        size = now;
        drawn = List.of();
        display.resize(now);
        display.clear();
      }
      List<AttributedString> next = lines.apply(now);
      if (!next.equals(drawn)) {
        display.update(next.stream().map(Canvas::withEnd).toList(), 0);
        drawn = next;
      }
    } catch (IllegalStateException e) {
      // A signal ends the process, and JLine has given the terminal back.
    }
  }

  /** Without it a line counts as continued on the next one. */
  private static AttributedString withEnd(AttributedString line) {
    return AttributedString.join(AttributedString.EMPTY, line, AttributedString.NEWLINE);
  }

  private Size sizeNow() {
    Size found = terminal.getSize();
    return found.getColumns() > 0 && found.getRows() > 0 ? found : UNKNOWN;
  }

  /** A line with the commands of the terminal for its style. */
  String ansi(AttributedString line) {
    return line.toAnsi(terminal);
  }

  /** Gives the terminal back as it was, and returns its width. */
  int close() {
    closed.countDown();
    Signals.unregister(RESIZED, resizedBefore);
    try {
      terminal.setAttributes(before);
      terminal.close();
    } catch (IOException | IllegalStateException e) {
      // It is closed already, which restores it too.
    }
    out.print(giveBack);
    out.flush();
    return size.getColumns();
  }
}
