package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  @Test
  void theTableHasKubectlsColumns() {
    assertThat(BoardText.lines(picture(3)))
        .containsExactly(
            "NAME   INSTANCE TYPE   TARGET   QUEUED   INPROGRESS   CURRENT   VALIDATED   CAPACITY     QUOTA   STAGEDCONFIG",
            "a      turin-gp        4        0        1            3         Valid       Sufficient",
            "",
            "Nodes: 3 (1 active, 2 idle)",
            "",
            "05:00:01  Warning  CWOverQuota  NodePool/a: too much");
  }

  @Test
  void withoutPoolsItSaysSo() {
    assertThat(BoardText.lines(new Board.Picture(List.of(), Map.of(), List.of())))
        .containsExactly("There are no NodePools.", "", "Nodes: none");
  }

  @Test
  void whereNothingCanBeRedrawnEachChangeIsALine() {
    Screen.Lines screen = new Screen.Lines(out);

    screen.show(picture(2));
    screen.show(picture(2));
    screen.show(picture(3));

    assertThat(written.toString().lines())
        .containsExactly(
            "a: target 4, queued 0, in progress 2, current 2; Validated Valid, Capacity Sufficient, Quota , AtTarget ",
            "Warning CWOverQuota on NodePool/a: too much",
            "a: target 4, queued 0, in progress 1, current 3; Validated Valid, Capacity Sufficient, Quota , AtTarget ");
  }

  @Test
  void onATerminalWhatIsUnderWayIsOneLine() {
    Screen.Terminal screen = new Screen.Terminal(out);
    screen.say("Downloading.");
    screen.at(10, "etcd: 10 %");
    int shown = written.toString().length();

    screen.at(11, "etcd: 11 %");
    assertThat(written.toString().substring(shown)).startsWith("\u001b[1A\r\u001b[J");
    shown = written.toString().length();

    screen.say("Done.");
    assertThat(written.toString().substring(shown))
        .isEqualTo("\u001b[1A\r\u001b[JDone." + System.lineSeparator());
    shown = written.toString().length();

    screen.say("Started.");
    assertThat(written.toString().substring(shown)).isEqualTo("Started." + System.lineSeparator());
  }

  @Test
  void whereNothingCanBeRedrawnWhatIsUnderWayIsAFewLines() {
    Screen.Lines screen = new Screen.Lines(out);
    for (String file : List.of("etcd", "kube-apiserver")) {
      for (int percent = 0; percent <= 100; percent++) {
        screen.at(percent, file + " " + percent);
      }
    }

    assertThat(written.toString().lines())
        .containsExactly(
            "etcd 25",
            "etcd 50",
            "etcd 75",
            "kube-apiserver 25",
            "kube-apiserver 50",
            "kube-apiserver 75");
  }

  @Test
  void aTerminalIsRedrawnOnlyWhenSomethingChanged() {
    Screen.Terminal screen = new Screen.Terminal(out);
    screen.show(picture(2));
    int drawn = written.toString().length();

    screen.show(picture(2));
    assertThat(written.toString()).hasSize(drawn);

    screen.show(picture(3));
    // Six lines and the empty one above them.
    assertThat(written.toString().substring(drawn)).startsWith("\u001b[7A\r\u001b[J");
  }

  @Test
  void whatIsSaidOnATerminalStaysAboveThePicture() {
    Screen.Terminal screen = new Screen.Terminal(out);
    screen.show(picture(2));
    int drawn = written.toString().length();

    screen.say("hello");

    String after = written.toString().substring(drawn);
    assertThat(after).startsWith("\u001b[7A\r\u001b[Jhello");
    assertThat(after.indexOf("NAME")).isGreaterThan(after.indexOf("hello"));
  }

  @Test
  void timesAreShort() {
    assertThat(BoardText.duration(Duration.ofMillis(36_600))).isEqualTo("37 s");
    assertThat(BoardText.duration(Duration.ofSeconds(125))).isEqualTo("2 min 5 s");
  }

  private static Board.Picture picture(int current) {
    return new Board.Picture(
        List.of(
            new PoolView(
                "a",
                "turin-gp",
                4,
                0,
                4 - current,
                current,
                Map.of(
                    "Validated",
                    new PoolView.Condition("Validated", "True", "Valid", ""),
                    "Capacity",
                    new PoolView.Condition("Capacity", "True", "Sufficient", "")),
                true)),
        new java.util.TreeMap<>(Map.of(NodeState.ACTIVE, 1, NodeState.IDLE, 2)),
        List.of(
            new Board.Told(
                "2026-11-21T05:00:01Z", "Warning", "CWOverQuota", "NodePool/a", "too much")));
  }
}
