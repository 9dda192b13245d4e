package io.nodepool.cli.view;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** The section of the data centre: its machines by state. */
final class MachinesSection {
  /** The level of detail. */
  enum Detail {
    /** A cell for each machine, in racks. */
    RACKS,
    /** Counts for each instance type. */
    TYPES,
    /** Counts for all machines. */
    TOTAL
  }

  private static final int INDENT = 2;

  private final Theme theme;
  private final int width;
  private final List<MachineView> machines;
  private final Map<String, List<MachineView>> byType;
  private final Map<MachineState, Integer> totals;

  MachinesSection(Theme theme, int width, List<MachineView> machines) {
    this.theme = theme;
    this.width = width;
    this.machines = machines;
    this.byType = byType(machines);
    this.totals = counts(machines);
  }

  /** The section. */
  List<AttributedString> lines(Detail detail) {
    if (machines.isEmpty()) {
      return new Paragraph(theme)
          .add("DATA CENTRE", Tone.TITLE)
          .add("No machines exist yet.", Tone.FAINT)
          .lines(width);
    }
    List<AttributedString> lines = new ArrayList<>(legend());
    switch (detail) {
      case RACKS -> byType.forEach((type, its) -> lines.addAll(racks(type, its)));
      case TYPES -> byType.forEach((type, its) -> lines.addAll(type(type, its)));
      case TOTAL -> {}
    }
    return lines;
  }

  /** The totals, which also explain the symbols. */
  private List<AttributedString> legend() {
    Paragraph text =
        new Paragraph(theme)
            .add("DATA CENTRE", Tone.TITLE)
            .add(machines.size() == 1 ? "1 machine:" : machines.size() + " machines:", Tone.PLAIN);
    return add(totals, text).lines(AttributedString.EMPTY, INDENT, width);
  }

  /** Adds the number of machines in each state. */
  private Paragraph add(Map<MachineState, Integer> counts, Paragraph text) {
    int left = counts.size();
    for (Map.Entry<MachineState, Integer> each : counts.entrySet()) {
      left--;
      text.add(
          new AttributedStringBuilder()
              .append(cell(each.getKey()))
              .append(" %d %s".formatted(each.getValue(), each.getKey().word()))
              .append(left > 0 ? "," : "")
              .toAttributedString());
    }
    return text;
  }

  private AttributedString cell(MachineState state) {
    return new AttributedString(
        String.valueOf(state.symbol(theme.unicode())), theme.style(state.tone()));
  }

  private List<AttributedString> racks(String type, List<MachineView> machinesOfType) {
    Map<String, List<MachineView>> racks = new LinkedHashMap<>();
    machinesOfType.forEach(
        each -> racks.computeIfAbsent(rack(each), _ -> new ArrayList<>()).add(each));
    int names = racks.keySet().stream().mapToInt(Theme::columns).max().orElse(0);
    int cells = racks.values().stream().mapToInt(List::size).max().orElse(0);
    Paragraph text = new Paragraph(theme);
    racks.forEach((name, its) -> text.add(rack(name, names, its, cells)));
    return labelled(type, text);
  }

  private AttributedString rack(
      String name, int names, List<MachineView> machinesOfRack, int cells) {
    AttributedStringBuilder text = new AttributedStringBuilder();
    text.append(Theme.padded(name, names), theme.style(Tone.FAINT)).append(" ");
    machinesOfRack.forEach(machine -> text.append(cell(machine.state())));
    return text.append(" ".repeat(cells - machinesOfRack.size() + 1)).toAttributedString();
  }

  private String rack(MachineView machine) {
    return machine.place().rack().isEmpty() ? "-" : theme.shown(machine.place().rack());
  }

  private List<AttributedString> type(String type, List<MachineView> machinesOfType) {
    Set<String> racks = new LinkedHashSet<>();
    machinesOfType.forEach(machine -> racks.add(rack(machine)));
    Paragraph text =
        new Paragraph(theme)
            .add(racks.size() == 1 ? "1 rack:" : racks.size() + " racks:", Tone.FAINT);
    return labelled(type, add(counts(machinesOfType), text));
  }

  private List<AttributedString> labelled(String type, Paragraph text) {
    int label = byType.keySet().stream().mapToInt(Theme::columns).max().orElse(0) + 2 * INDENT;
    AttributedStringBuilder start = new AttributedStringBuilder().append(" ".repeat(INDENT));
    if (label + text.longestWord() <= width) {
      start.append(Theme.padded(type, label - INDENT));
      return text.lines(start.toAttributedString(), label, width);
    }
    List<AttributedString> lines =
        new ArrayList<>(
            new Paragraph(theme)
                .add(type, Tone.PLAIN)
                .lines(start.toAttributedString(), INDENT, width));
    lines.addAll(text.lines(new AttributedString(" ".repeat(2 * INDENT)), 2 * INDENT, width));
    return lines;
  }

  private Map<String, List<MachineView>> byType(List<MachineView> machines) {
    Map<String, List<MachineView>> types = new LinkedHashMap<>();
    machines.forEach(machine ->
        types
            .computeIfAbsent(theme.shown(machine.place().instanceType()), _ -> new ArrayList<>())
            .add(machine));
    return types;
  }

  private static Map<MachineState, Integer> counts(List<MachineView> machines) {
    Map<MachineState, Integer> counts = new EnumMap<>(MachineState.class);
    machines.forEach(machine -> counts.merge(machine.state(), 1, Integer::sum));
    return counts;
  }
}
