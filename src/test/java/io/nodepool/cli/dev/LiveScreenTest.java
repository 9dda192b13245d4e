package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.cli.view.Pictures;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.impl.DumbTerminal;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The live view on an emulated terminal. */
class LiveScreenTest {
  private static final String ENTER = "\u001b[?1049h";
  private static final String LEAVE = "\u001b[?1049l";

  private final StringWriter out = new StringWriter();
  private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();
  private final BlockingQueue<String> quit = new LinkedBlockingQueue<>();
  private PipedOutputStream fingers = new PipedOutputStream();
  private final BlockingQueue<String> changed = new LinkedBlockingQueue<>();

  /** The terminal attributes that were set, in order. */
  private final List<Attributes> set = new ArrayList<>();

  private LineDisciplineTerminal terminal = terminal();
  private Attributes before = terminal.getAttributes();
  private Instant now = Pictures.NOW;

  @BeforeEach
  void startAnew() {
    terminal = terminal();
    terminal.setSize(Size.of(100, 40));
    before = terminal.getAttributes();
  }

  @Test
  void itDrawsTheViewAndRestoresTheTerminal() {
    LiveScreen screen = screen("");
    screen.say("before");
    try (Screen.Showing _ = open(screen)) {
      assertThat(terminal.getAttributes().getLocalFlag(Attributes.LocalFlag.ECHO)).isFalse();
      screen.show(Pictures.ordinary());
      assertThat(drawn()).startsWith(ENTER);
      assertThat(seen()).contains("! inference", "DATA CENTRE 60 machines:", "CWNodeRegistered");
      assertThat(out.toString()).isEqualTo("before\n");
    }

    assertThat(out.toString()).contains(LEAVE, "WaitsForMachines", "Stopping ...");
    assertThat(set.getLast().getLocalFlags()).isEqualTo(before.getLocalFlags());
  }

  @Test
  void progressBeforeTheViewIsOneLine() {
    LiveScreen screen = screen("");
    screen.say("Downloading.");
    screen.at(10, "etcd: 10 %");
    int shown = out.toString().length();

    screen.at(11, "etcd: 11 %");
    assertThat(out.toString().substring(shown)).startsWith("\u001b[1A\r\u001b[J");
    shown = out.toString().length();

    screen.say("Done.");
    assertThat(out.toString().substring(shown)).isEqualTo("\u001b[1A\r\u001b[JDone.\n");
    shown = out.toString().length();

    screen.say("Started.");
    assertThat(out.toString().substring(shown)).isEqualTo("Started.\n");
  }

  @Test
  void onlyDifferencesAreWritten() {
    LiveScreen screen = screen("");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
      assertThat(seen()).contains("b200-1 ●●●●");

      now = now.plusSeconds(3);
      screen.show(Pictures.ordinary());
      assertThat(drawn()).isEmpty();

      now = now.plusSeconds(20);
      screen.show(Pictures.ordinary());
      assertThat(drawn()).isNotEmpty().hasSizeLessThan(200);
      assertThat(seen()).contains("20 s ago");

      drawn.reset();
      screen.show(withFirst(MachineState.DRAINING));
      assertThat(drawn()).isNotEmpty().hasSizeLessThan(300);
      assertThat(seen()).contains("b200-1 ▼●●●");
    }
  }

  @Test
  void itFollowsTheSizeOfTheTerminal() {
    LiveScreen screen = screen("");
    try (Screen.Showing _ = open(screen)) {
      for (int width : List.of(160, 80, 60, 120, 100)) {
        terminal.setSize(Size.of(width, 40));
        emulator = new ScreenTerminal(width, 40);
        drawn.reset();
        screen.show(Pictures.ordinary());

        assertThat(seen()).contains("inference", "h100-10 ···✗").hasLineCount(40);
        assertThat(seen().contains("This terminal has 60 columns")).isEqualTo(width == 60);
      }
    }
  }

  @Test
  void noColoursWithNoColorSet() {
    LiveScreen screen = screen("1");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
    }
    assertThat(drawn() + out).doesNotContainPattern("\u001b\\[([0-9;]*;)?3[0-7](;[0-9;]*)?m");

    LiveScreen coloured = screen("");
    startAnew();
    try (Screen.Showing _ = open(coloured)) {
      coloured.show(Pictures.ordinary());
    }
    assertThat(drawn()).containsPattern("\u001b\\[([0-9;]*;)?3[0-7](;[0-9;]*)?m");
  }

  @Test
  void linesPrintedMeanwhileAreVisibleForAWhileAndPrintedAtTheEnd() {
    LiveScreen screen = screen("");
    screen.pin("  export KUBECONFIG=/k");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
      screen.say("NodePool train is at its target.");
      assertThat(seen()).contains("NodePool train is at its target.", "export KUBECONFIG=/k");

      now = now.plus(Duration.ofMinutes(2));
      screen.show(Pictures.ordinary());
      assertThat(seen()).contains("export KUBECONFIG=/k").doesNotContain("is at its target");
      screen.conclude("The end.");
    }

    assertThat(out.toString())
        .contains("NodePool train is at its target.\n")
        .endsWith("The end.\n");
  }

  @Test
  void aKeyEndsItAndSignalsStaySignals() throws Exception {
    LiveScreen screen = screen("");
    try (Screen.Showing _ = open(screen)) {
      assertThat(set.getLast().getLocalFlag(Attributes.LocalFlag.ISIG)).isTrue();
      assertThat(set.getLast().getControlChar(Attributes.ControlChar.VSUSP)).isZero();
      type("xq");
      assertThat(quit.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void keysFindOpenAndExplain() throws Exception {
    LiveScreen screen = screen("");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
      pressed(screen, "/");
      pressed(screen, "q");
      assertThat(quit).isEmpty();
      pressed(screen, "\u007f");
      for (char key : "nvl".toCharArray()) {
        pressed(screen, String.valueOf(key));
      }
      assertThat(seen()).contains("find: nvl_", "✓ nvl").doesNotContain("inference", "▸ train");
      pressed(screen, "\u001b");
      pressed(screen, "\r");
      assertThat(seen())
          .contains(
              "NodePool inference; Enter shows the next one", "Capacity QueuedAwaitingCapacity:")
          .doesNotContain("✓ nvl");
      pressed(screen, "?");
      assertThat(seen()).contains("KEYS", "set aside: not assigned until");
      pressed(screen, "\u001b");
      assertThat(seen()).contains("! inference", "✓ nvl", "▸ train").doesNotContain("KEYS");
    }
  }

  private void pressed(LiveScreen screen, String key) throws Exception {
    type(key);
    assertThat(changed.poll(20, TimeUnit.SECONDS)).isNotNull();
    screen.show(Pictures.ordinary());
  }

  @Test
  void aKeyRedrawsTheScreen() throws Exception {
    LiveScreen screen = screen("");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
      drawn.reset();
      type("\f");
      assertThat(changed.poll(20, TimeUnit.SECONDS)).isNotNull();
      screen.show(Pictures.ordinary());
      assertThat(drawn()).contains("inference");
    }
  }

  @Test
  void aTerminalThatASignalClosedDoesNoHarm() throws IOException {
    LiveScreen screen = screen("");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
      terminal.close();
      screen.show(withFirst(MachineState.IDLE));
      screen.say("late");
    }
    assertThat(out.toString()).contains(LEAVE, "late\n");
  }

  @Test
  void withoutALiveViewChangesArePrinted() {
    LiveScreen screen =
        new LiveScreen(
            new PrintWriter(out),
            () ->
                new Canvas.Tty(
                    new DumbTerminal(InputStream.nullInputStream(), new ByteArrayOutputStream()),
                    InputStream.nullInputStream()),
            () -> now,
            "");
    try (Screen.Showing _ = open(screen)) {
      screen.show(Pictures.ordinary());
    }
    assertThat(out.toString()).contains("train: target 8, queued 0, in progress 3, current 5");
    assertThat(out.toString()).doesNotContain("\u001b");
  }

  private ScreenTerminal emulator = new ScreenTerminal(100, 40);

  private LineDisciplineTerminal terminal() {
    try {
      drawn.reset();
      emulator = new ScreenTerminal(100, 40);
      return new LineDisciplineTerminal("test", "xterm-256color", drawn, StandardCharsets.UTF_8) {
        @Override
        public void setAttributes(Attributes attributes) {
          super.setAttributes(attributes);
          set.add(new Attributes(attributes));
        }
      };
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private LiveScreen screen(String noColour) {
    return new LiveScreen(new PrintWriter(out), () -> tty(), () -> now, noColour);
  }

  private Canvas.Tty tty() throws IOException {
    fingers = new PipedOutputStream();
    return new Canvas.Tty(terminal, new PipedInputStream(fingers));
  }

  private Screen.Showing open(LiveScreen screen) {
    return screen.open(() -> changed.add("changed"), () -> quit.add("quit"));
  }

  private void type(String keys) throws IOException {
    fingers.write(keys.getBytes(StandardCharsets.UTF_8));
    fingers.flush();
  }

  private String drawn() {
    return drawn.toString(StandardCharsets.UTF_8);
  }

  /** The content of the terminal after the output since the last call. */
  private String seen() {
    emulator.write(drawn());
    drawn.reset();
    return emulator.toString();
  }

  private static ClusterView withFirst(MachineState state) {
    ClusterView view = Pictures.ordinary();
    List<MachineView> machines = new ArrayList<>(view.machines());
    machines.set(
        0, new MachineView(machines.getFirst().place(), state, Optional.empty(), List.of()));
    return new ClusterView(view.pools(), machines, view.events());
  }
}
