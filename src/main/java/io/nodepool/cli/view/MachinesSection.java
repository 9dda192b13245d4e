package io.nodepool.cli.view;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
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

  /** The machines of types without a pool, shown in one line; empty while there is no pool. */
  private final List<MachineView> others;

  private final Map<MachineState, Integer> totals;

  MachinesSection(Theme theme, int width, List<MachineView> machines, Set<String> inUse) {
    this.theme = theme;
    this.width = width;
    this.machines = machines;
    Map<Boolean, List<MachineView>> used =
        machines.stream()
            .collect(
                Collectors.partitioningBy(
                    each -> inUse.isEmpty() || inUse.contains(each.place().instanceType())));
    this.byType =
        grouped(
            used.getOrDefault(true, List.of()), each -> theme.shown(each.place().instanceType()));
    this.others = used.getOrDefault(false, List.of());
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
    if (!others.isEmpty() && detail != Detail.TOTAL) {
      int types = grouped(others, each -> each.place().instanceType()).size();
      Paragraph text =
          new Paragraph(theme)
              .add(
                  types == 1 ? "1 type without a pool:" : types + " types without a pool:",
                  Tone.FAINT);
      lines.addAll(add(counts(others), text).lines(INDENT, 2 * INDENT, width));
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
    Map<String, List<MachineView>> racks = grouped(machinesOfType, this::rack);
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
    int racks = grouped(machinesOfType, this::rack).size();
    Paragraph text =
        new Paragraph(theme).add(racks == 1 ? "1 rack:" : racks + " racks:", Tone.FAINT);
    return labelled(type, add(counts(machinesOfType), text));
  }

  private List<AttributedString> labelled(String type, Paragraph text) {
    int label = byType.keySet().stream().mapToInt(Theme::columns).max().orElse(0) + 2 * INDENT;
    if (label + text.longestWord() <= width) {
      String start = " ".repeat(INDENT) + Theme.padded(type, label - INDENT);
      return text.lines(new AttributedString(start), label, width);
    }
    List<AttributedString> lines =
        new ArrayList<>(new Paragraph(theme).add(type, Tone.PLAIN).lines(INDENT, INDENT, width));
    lines.addAll(text.lines(2 * INDENT, 2 * INDENT, width));
    return lines;
  }

  /** The machines grouped by a text, in the order of their first occurrence. */
  private static Map<String, List<MachineView>> grouped(
      List<MachineView> machines, Function<MachineView, String> by) {
    return machines.stream()
        .collect(Collectors.groupingBy(by, LinkedHashMap::new, Collectors.toList()));
  }

  private static Map<MachineState, Integer> counts(List<MachineView> machines) {
    Map<MachineState, Integer> counts = new EnumMap<>(MachineState.class);
    machines.forEach(machine -> counts.merge(machine.state(), 1, Integer::sum));
    return counts;
  }
}
