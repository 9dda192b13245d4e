package io.nodepool.cli.view;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.utils.AttributedString;

/**
 * The section of the Nodes to look at: the disruption, the wait, the alerts and the pending request
 * of each.
 */
final class DisruptionsSection {
  private static final int INDENT = 2;

  private record Disrupted(String node, Instant since, String text) {}

  private final Theme theme;
  private final int width;
  private final List<Disrupted> disrupted;

  DisruptionsSection(Theme theme, int width, List<MachineView> machines, Instant now) {
    this.theme = theme;
    this.width = width;
    this.disrupted =
        machines.stream()
            .filter(machine -> machine.disruption().isPresent() || !machine.notes().isEmpty())
            .map(machine ->
                new Disrupted(
                    machine.place().name(),
                    machine.disruption().map(DisruptionView::since).orElse(Instant.MAX),
                    Stream.concat(
                            machine.disruption().map(DisruptionView::text).stream(),
                            machine.notes().stream().map(note -> note + "."))
                        .map(text -> Ages.in(text, now))
                        .collect(Collectors.joining(" "))))
            .sorted(Comparator.comparing(Disrupted::since).thenComparing(Disrupted::node))
            .toList();
  }

  /** The section with at most this many Nodes, longest disruption first. */
  List<AttributedString> lines(int most) {
    List<AttributedString> lines = new ArrayList<>();
    if (disrupted.isEmpty() || most == 0) {
      return lines;
    }
    lines.add(AttributedString.EMPTY);
    lines.addAll(
        new Paragraph(theme)
            .add("NODES TO LOOK AT", Tone.TITLE)
            .add(disrupted.size() == 1 ? "1 Node" : disrupted.size() + " Nodes", Tone.PLAIN)
            .lines(width));
    for (Disrupted each : disrupted.subList(0, Math.min(most, disrupted.size()))) {
      lines.addAll(
          new Paragraph(theme)
              .add(each.node(), Tone.TITLE)
              .add(each.text(), Tone.PLAIN)
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
