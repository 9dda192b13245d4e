package io.nodepool.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayoutTest {
  private static final Theme FULL = new Theme(true, true);
  private static final Layout.Head HEAD =
      new Layout.Head(List.of("export KUBECONFIG=/tmp/nodepool-1/kubeconfig"), List.of());

  private final Layout layout = new Layout(FULL);

  @ParameterizedTest
  @ValueSource(ints = {20, 40, 60, 79, 80, 100, 120, 160, 300})
  void noLineIsWiderThanTheTerminalAndEveryWordIsThere(int width) {
    List<AttributedString> lines =
        layout.lines(Pictures.ordinary(), HEAD, width, 500, Pictures.NOW);

    assertThat(lines)
        .allSatisfy(line -> assertThat(line.columnLength()).isLessThanOrEqualTo(width));
    String text = squeezed(text(lines));
    ClusterView view = Pictures.ordinary();
    assertThat(text).contains("exportKUBECONFIG=/tmp/nodepool-1/kubeconfig");
    for (PoolView pool : view.pools()) {
      assertThat(text).contains(pool.name(), pool.instanceType());
      if (pool.isRemarkable()) {
        assertThat(text)
            .contains(squeezed(pool.summary().reason() + ":" + pool.summary().message()));
      }
    }
    for (EventView event : view.events()) {
      assertThat(text).contains(squeezed(event.message()));
      assertThat(text).contains(event.reason());
    }
    assertThat(text)
        .contains("●●●●", "●●●○", "○".repeat(18), "·".repeat(18), "○◌◐◐", "▼□~!", "···✗");
    view.machines().forEach(machine -> assertThat(text).contains(squeezed(machine.state().word())));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 8, 12, 16, 20, 24, 30, 50})
  void thereAreNeverMoreLinesThanFit(int height) {
    for (int width : List.of(1, 5, 20, 80, 100, 120, 160)) {
      List<AttributedString> lines =
          layout.lines(Pictures.ordinary(), HEAD, width, height, Pictures.NOW);
      assertThat(lines).as("%d columns", width).hasSizeLessThanOrEqualTo(height);
      assertThat(lines)
          .allSatisfy(
              line -> assertThat(line.columnLength()).isLessThanOrEqualTo(Math.max(2, width)));
    }
  }

  @Test
  void omittedPartsAreCounted() {
    assertThat(at(100, 26)).contains("EVENTS the newest 4 of 6\n").contains("h100-10 ···✗");
    String low = at(100, 15);
    assertThat(low).contains("WaitsForMachines").doesNotContain("h100-10 ");

    assertThat(at(100, 15)).contains("EVENTS 6, not shown for lack of space");

    List<PoolView> many =
        IntStream.range(0, 50)
            .mapToObj(i ->
                i == 40
                    ? Pictures.ordinary().pools().getFirst()
                    : Pictures.pool(
                        "pool-" + i, "turin-gp", 2, 0, 0, 2, Pictures.TARGET_MET, Pictures.READY))
            .toList();
    List<AttributedString> lines =
        layout.lines(
            new ClusterView(many, Pictures.ordinary().machines(), List.of()),
            HEAD,
            80,
            24,
            Pictures.NOW);
    assertThat(text(lines))
        .contains("! inference")
        .contains("more NodePools,")
        .contains("machines:");
    long shown = text(lines).lines().filter(line -> line.matches("[!✓▸] .*")).count();
    assertThat(text(lines))
        .contains("… %d more NodePools, %d at target".formatted(50 - shown, 50 - shown));
  }

  @Test
  void belowEightyColumnsALineReportsThat() {
    assertThat(at(79, 40))
        .contains("This terminal has 79 columns; the view is made for 80 or more");
    assertThat(at(80, 40)).doesNotContain("This terminal has");
  }

  @Test
  void onlyConditionsThatAreNotGoodAreShown() {
    assertThat(at(120, 40))
        .contains("! inference")
        .contains("▸ train")
        .contains("✓ nvl")
        .doesNotContain("TargetMet");
  }

  @Test
  void aPoolTakesOneLineIfItFitsAndTwoIfNot() {
    assertThat(at(120, 40))
        .contains(
            "▸ train      gd-8xh100ib-i128       8         0             3          5  █████▒▒▒");
    assertThat(at(80, 40))
        .contains("▸ train      gd-8xh100ib-i128  █ 5 of 8 ▒ 3   █████▒▒▒")
        .contains("! inference  b200-8x           █ 8 of 12 ░ 4  ████████░░░░");
    assertThat(at(50, 60))
        .contains("▸ train gd-8xh100ib-i128\n  █████▒▒▒ █ 5 of 8 ▒ 3 in progress\n");
  }

  @Test
  void theObjectOfAnEventIsNamedOnlyWhereItChanges() {
    String text = at(120, 60);
    String events = text.substring(text.indexOf("EVENTS"));

    assertThat(events.lines().map(String::strip).filter(line -> line.startsWith("NodePool ")))
        .containsExactly("NodePool train", "NodePool inference", "NodePool train");
    assertThat(events.lines().map(String::strip))
        .contains("now        CWNodeRegistered 2 Nodes (g2a3b4c, g9d0e1f) registered.")
        .contains("30 s ago   CWNodeRegistered 3 Nodes (g0a1b2c, g3d4e5f, g6a7b8c) registered.")
        .contains(
            "!   2 min ago  CWInsufficientCapacity 4 Nodes of type b200-8x are queued until capacity becomes available; position 1 of");
  }

  @Test
  void withoutColourNoColourIsUsedAndTheTextIsTheSame() {
    List<AttributedString> coloured =
        layout.lines(Pictures.ordinary(), HEAD, 100, 40, Pictures.NOW);
    List<AttributedString> plain =
        new Layout(new Theme(false, true)).lines(Pictures.ordinary(), HEAD, 100, 40, Pictures.NOW);

    assertThat(text(plain)).isEqualTo(text(coloured));
    // 3x and 9x set a colour; 1, 2 and 22 set only the weight.
    assertThat(ansi(plain)).doesNotContainPattern("\u001b\\[[0-9;]*[349][0-7][;m]");
    assertThat(ansi(coloured)).containsPattern("\u001b\\[[0-9;]*3[0-7][;m]");
  }

  @Test
  void withoutUnicodeOnlyAsciiIsUsed() {
    List<AttributedString> lines =
        new Layout(new Theme(true, false)).lines(Pictures.ordinary(), HEAD, 80, 60, Pictures.NOW);

    assertThat(text(lines)).matches("(?s)[\\x20-\\x7e\n]*").contains("h100-3  vs~!");
  }

  @Test
  void statesHaveSymbolsOfTheirOwn() {
    assertThat(List.of(MachineState.values()))
        .extracting(state -> state.symbol(true))
        .doesNotHaveDuplicates();
    assertThat(List.of(MachineState.values()))
        .extracting(state -> state.symbol(false))
        .doesNotHaveDuplicates();
    assertThat(List.of(MachineState.values()))
        .allSatisfy(state ->
            assertThat(new AttributedString("" + state.symbol(true)).columnLength()).isEqualTo(1));
  }

  @Test
  void nodesUnderDisruptionAreShownTheLongestFirstAndTheOthersCounted() {
    List<MachineView> machines = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      machines.add(
          new MachineView(
              new MachineView.Place("gd-8xh100ib-i128", "US-EAST-04A", "1", "" + i, "g" + i),
              MachineState.DRAINING,
              Optional.of(
                  new DisruptionView(
                      "Draining",
                      "its pool rolls out a configuration",
                      Pictures.NOW.minusSeconds(i),
                      "its Pods to end",
                      Optional.of(
                          new DisruptionView.Until(
                              Pictures.NOW.plusSeconds(600), "the Pods left are deleted")))),
              List.of("Alert GPUVeryHot since " + Pictures.NOW.minusSeconds(120))));
    }
    ClusterView view = new ClusterView(List.of(), machines, List.of());

    List<String> lines = text(layout.lines(view, HEAD, 200, 40, Pictures.NOW)).lines().toList();
    assertThat(lines)
        .contains(
            "NODES TO LOOK AT 7 Nodes",
            "  g6 Draining for a few s: its pool rolls out a configuration; waits for its Pods to end, for 10 min more, then the Pods left are deleted. Alert GPUVeryHot for 2 min.",
            "  … 2 more")
        .noneMatch(line -> line.startsWith("  g1 "));
    assertThat(text(layout.lines(view, HEAD, 200, 8, Pictures.NOW))).doesNotContain("g6 ");
  }

  @Test
  void typesWithoutAPoolAreOneLine() {
    List<MachineView> machines = new ArrayList<>(Pictures.rack("turin-gp", "r1", "○○"));
    for (int type = 0; type < 9; type++) {
      machines.addAll(Pictures.rack("other-" + type, "o" + type, "···~"));
    }
    ClusterView view =
        new ClusterView(
            List.of(
                Pictures.pool("p", "turin-gp", 2, 0, 0, 2, Pictures.TARGET_MET, Pictures.READY)),
            machines,
            Pictures.ordinary().events());

    assertThat(text(layout.lines(view, HEAD, 100, 30, Pictures.NOW)))
        .contains(
            "turin-gp  r1 ○○", "  9 types without a pool: ~ 9 cleaning, · 27 free\n", "EVENTS")
        .doesNotContain("other-");
  }

  @Test
  void instantsInTextsAreAges() {
    assertThat(
            Ages.in(
                "since 2026-11-21T04:00:00Z, until 2026-11-21T05:02:00.5Z; at 2026-11-21T04:59:00Z and 2026-11-24T05:00:00Z, never 2026-99-21T05:00:00Z",
                Pictures.NOW))
        .isEqualTo("for 1 h, for 2 min more; at 1 min ago and in 3 d, never 2026-99-21T05:00:00Z");
  }

  @Test
  void aLargeFleetIsSummarisedByInstanceType() {
    List<MachineView> machines = new ArrayList<>();
    for (int rack = 0; rack < 1000; rack++) {
      machines.addAll(Pictures.rack("gd-8xh100ib-i128", "r" + rack, "●●○·"));
    }
    ClusterView view = new ClusterView(List.of(), machines, List.of());

    assertThat(text(layout.lines(view, HEAD, 100, 40, Pictures.NOW)).lines())
        .anyMatch(line ->
            line.matches("DATA CENTRE 4000 machines: ● 2000 busy, ○ 1000 idle, · 1000 free"))
        .anyMatch(line ->
            line.matches(" +gd-8xh100ib-i128 +1000 racks: ● 2000 busy, ○ 1000 idle, · 1000 free"));
  }

  @Test
  void wideCharactersAndControlCharactersDoNoHarm() {
    PoolView pool =
        Pictures.pool(
            "p",
            "容\u001b[2J",
            1,
            1,
            0,
            0,
            Map.of(),
            new PoolView.SummaryView("OverQuota", "容量".repeat(60) + "\u001b[2J\r\nend \t\u0007."));
    List<MachineView> machines = Pictures.rack("容\u001b[2J", "量\r\u0007", "●○");
    for (int width = 2; width < 130; width++) {
      int available = width;
      List<AttributedString> lines =
          layout.lines(
              new ClusterView(List.of(pool), machines, List.of()), HEAD, width, 400, Pictures.NOW);
      assertThat(lines)
          .allSatisfy(line -> assertThat(line.columnLength()).isLessThanOrEqualTo(available));
      assertThat(squeezed(text(lines))).contains("容量".repeat(60) + "[2Jend.");
      assertThat(text(lines)).doesNotContain("\u001b", "\u0007", "\r");
    }
  }

  @Test
  void barsShowTheCountsInProportion() {
    assertThat(bar(8, 2, 3, 1)).isEqualTo("█▒▒▒░░··");
    assertThat(bar(2, 0, 0, 5)).isEqualTo("██▚▚▚");
    assertThat(bar(1000, 1, 0, 999)).isEqualTo("█".repeat(19) + "░");
    assertThat(bar(0, 0, 0, 0)).isEmpty();
  }

  private static String bar(int target, int queued, int inProgress, int current) {
    return PoolBar.of(
            Pictures.pool("p", "t", target, queued, inProgress, current, Map.of(), Pictures.READY),
            20,
            FULL)
        .toString();
  }

  private String at(int width, int height) {
    return text(layout.lines(Pictures.ordinary(), HEAD, width, height, Pictures.NOW));
  }

  static String text(List<AttributedString> lines) {
    return String.join("\n", lines.stream().map(line -> line.toString().stripTrailing()).toList());
  }

  private static String ansi(List<AttributedString> lines) {
    return String.join("\n", lines.stream().map(AttributedString::toAnsi).toList());
  }

  private static String squeezed(String text) {
    return text.replaceAll("\\s", "");
  }
}
