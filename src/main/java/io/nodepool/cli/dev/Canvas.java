package io.nodepool.cli.dev;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jline.utils.Curses;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.Signals;

/**
 * Draws on a whole terminal until it is closed. Each drawing writes only the differences to the
 * last drawing.
 */
final class Canvas {
  private static final String RESIZED = "WINCH";
  private static final int CTRL_L = 12;
  private static final int ESCAPE = 27;
  private static final long KEYS_EVERY_MILLIS = 100;

  /** The value of a control character that no key is bound to. */
  private static final int NO_KEY = 0;

  /** The size of a terminal that does not report one. */
  private static final Size UNKNOWN = Size.of(80, 24);

  private final Terminal terminal;
  private final PrintWriter out;
  private final Runnable changed;
  private final IntConsumer pressed;
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
   * @param keys the input of the terminal
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
   * Takes over the terminal.
   *
   * @param out the same terminal, which can still be written to after JLine has closed it
   * @param changed called when the terminal's size changes or the user asks for a redraw
   * @param pressed called with each other key
   */
  Canvas(Tty tty, PrintWriter out, Runnable changed, IntConsumer pressed) {
    this.terminal = tty.terminal();
    this.out = out;
    this.changed = changed;
    this.pressed = pressed;
    this.encoding = terminal.outputEncoding();
    this.size = sizeNow();
    this.giveBack = giveBack();
    if (terminal.getStringCapability(Capability.enter_ca_mode) == null) {
      // Without an alternate screen the current content scrolls up and stays in the history.
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
   * Keeps Ctrl-C as a signal, so that it always works. Suspend and thread dump are disabled, since
   * nothing would restore the terminal.
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
   * Polls for keys. A blocking read could not be ended, and would consume the shell's first key.
   */
  private void readKeys(InputStream keys) {
    try {
      while (!closed.await(KEYS_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
        while (keys.available() > 0) {
          int key = keys.read();
          if (key == CTRL_L) {
            stale = true;
            changed.run();
          } else if (key == ESCAPE && keys.available() > 0) {
            // The sequence of a key such as an arrow.
            keys.skipNBytes(keys.available());
          } else {
            pressed.accept(key);
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // The terminal no longer exists; a signal follows.
    }
  }

  /** The encoding of the terminal's output. */
  Charset encoding() {
    return encoding;
  }

  /** Draws the lines for the current size. Writes nothing if nothing changed. */
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
      // A signal ends the process, and JLine has restored the terminal.
    }
  }

  /** Adds a line end. Without it, the terminal treats the next line as a continuation. */
  private static AttributedString withEnd(AttributedString line) {
    return AttributedString.join(AttributedString.EMPTY, line, AttributedString.NEWLINE);
  }

  private Size sizeNow() {
    Size found = terminal.getSize();
    return found.getColumns() > 0 && found.getRows() > 0 ? found : UNKNOWN;
  }

  /** A line with the escape sequences for its style. */
  String ansi(AttributedString line) {
    return line.toAnsi(terminal);
  }

  /** Restores the terminal and returns its width. */
  int close() {
    closed.countDown();
    Signals.unregister(RESIZED, resizedBefore);
    try {
      terminal.setAttributes(before);
      terminal.close();
    } catch (IOException | IllegalStateException e) {
      // It is closed already, and restored.
    }
    out.print(giveBack);
    out.flush();
    return size.getColumns();
  }
}
