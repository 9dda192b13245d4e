package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.PoolView;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScreenTest {
  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  @Test
  void withoutATerminalEachChangeIsALine() {
    Screen.Lines screen = new Screen.Lines(out);

    screen.show(picture(2));
    screen.show(picture(2));
    screen.show(picture(3));

    assertThat(written.toString().lines())
        .containsExactly(
            "a: target 4, queued 0, in progress 2, current 2; Growing: 2 of 4.",
            "Warning CWOverQuota on NodePool/a: too much",
            "a: target 4, queued 0, in progress 1, current 3; Growing: 3 of 4.");
  }

  @Test
  void withoutATerminalProgressIsAFewLines() {
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
  void durationsAreShort() {
    assertThat(PoolProgress.duration(Duration.ofMillis(36_600))).isEqualTo("37 s");
    assertThat(PoolProgress.duration(Duration.ofSeconds(125))).isEqualTo("2 min 5 s");
  }

  private static ClusterView picture(int current) {
    return new ClusterView(
        List.of(
            new PoolView(
                "a",
                "turin-gp",
                4,
                0,
                4 - current,
                current,
                Map.of(),
                true,
                new PoolView.SummaryView("Growing", "%d of 4.".formatted(current)))),
        List.of(),
        List.of(new EventView(Instant.EPOCH, true, "CWOverQuota", "NodePool", "a", "too much")));
  }
}
