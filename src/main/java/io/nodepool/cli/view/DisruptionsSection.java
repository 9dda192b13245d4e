package io.nodepool.cli.view;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jline.utils.AttributedString;

/** The section of the Nodes under disruption: what is done with each, and what it waits for. */
final class DisruptionsSection {
  private static final int INDENT = 2;

  private record Disrupted(String node, DisruptionView what) {}

  private final Theme theme;
  private final int width;
  private final List<Disrupted> disrupted;

  DisruptionsSection(Theme theme, int width, List<MachineView> machines) {
    this.theme = theme;
    this.width = width;
    this.disrupted =
        machines.stream()
            .flatMap(machine ->
                machine
                    .disruption()
                    .map(what -> new Disrupted(machine.place().name(), what))
                    .stream())
            .sorted(
                Comparator.comparing((Disrupted each) -> each.what().since())
                    .thenComparing(Disrupted::node))
            .toList();
  }

  /** The section with at most this many Nodes, those first that have been disrupted longest. */
  List<AttributedString> lines(int most) {
    List<AttributedString> lines = new ArrayList<>();
    if (disrupted.isEmpty() || most == 0) {
      return lines;
    }
    lines.add(AttributedString.EMPTY);
    lines.addAll(
        new Paragraph(theme)
            .add("UNDER DISRUPTION", Tone.TITLE)
            .add(disrupted.size() == 1 ? "1 Node" : disrupted.size() + " Nodes", Tone.PLAIN)
            .lines(width));
    for (Disrupted each : disrupted.subList(0, Math.min(most, disrupted.size()))) {
      lines.addAll(
          new Paragraph(theme)
              .add(each.node(), Tone.TITLE)
              .add(each.what().text(), Tone.PLAIN)
              .lines(INDENT, 2 * INDENT, width));
    }
    if (disrupted.size() > most) {
      lines.addAll(
          new Paragraph(theme)
              .add("%s %d more".formatted(theme.ellipsis(), disrupted.size() - most), Tone.FAINT)
              .lines(INDENT, INDENT, width));
    }
    return lines;
  }
}
