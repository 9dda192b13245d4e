package io.nodepool.cli.view;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** The pools, each with a bar and with what is not in order. */
final class PoolsSection {
  /** How much is said about each pool. */
  enum Detail {
    /** Bars, and all messages. */
    ALL,
    /** No bar where it takes a line of its own, and all messages. */
    MESSAGES,
    /** A line for each pool, with the reasons. */
    REASONS
  }

  private static final int SHORTEST_BAR = 10;
  private static final int LONGEST_BAR = 40;
  private static final int MARK = 2;
  private static final int COUNTS_WIDTH = 6 + 2 + 8 + 2 + 12 + 2 + 9;

  private final Theme theme;
  private final int width;

  PoolsSection(Theme theme, int width) {
    this.theme = theme;
    this.width = width;
  }

  /** The section. */
  List<AttributedString> lines(List<PoolView> pools, Detail detail) {
    if (pools.isEmpty()) {
      return new Paragraph(theme)
          .add(
              "There are no NodePools. To make one: kubectl apply -f examples/gpu-pool.yaml",
              Tone.FAINT)
          .lines(width);
    }
    int names = longest(pools, false);
    int types = longest(pools, true);
    int bar = width - MARK - names - 2 - types - 2 - COUNTS_WIDTH - 2;
    List<AttributedString> lines = new ArrayList<>();
    boolean table = bar >= SHORTEST_BAR;
    if (table) {
      lines.add(header(names, types));
    }
    for (PoolView pool : pools) {
      if (table) {
        lines.add(row(pool, names, types, Math.min(bar, LONGEST_BAR)));
      } else {
        lines.addAll(detail == Detail.ALL ? stacked(pool) : compact(pool));
      }
      lines.addAll(conditions(pool, detail));
    }
    return lines;
  }

  /**
   * The section in this many lines: those pools in full or by their reasons that most need a look,
   * and how many more there are.
   */
  List<AttributedString> within(List<PoolView> pools, int height) {
    List<AttributedString> all = lines(pools, Detail.REASONS);
    if (all.size() <= height) {
      return all;
    }
    List<PoolView> order =
        pools.stream().sorted(Comparator.comparingInt(PoolsSection::urgency).reversed()).toList();
    for (int shown = pools.size() - 1; shown > 0; shown--) {
      List<AttributedString> lines =
          new ArrayList<>(lines(order.subList(0, shown), Detail.REASONS));
      lines.addAll(more(order.subList(shown, order.size())));
      if (lines.size() <= height) {
        return lines;
      }
    }
    return more(order);
  }

  private List<AttributedString> more(List<PoolView> left) {
    long atTarget = left.stream().filter(PoolView::isAtTarget).count();
    return new Paragraph(theme)
        .add(
            "%s %d more NodePools, %d of them at target"
                .formatted(theme.ellipsis(), left.size(), atTarget),
            Tone.FAINT)
        .lines(width);
  }

  private static int urgency(PoolView pool) {
    return pool.isInTrouble() ? 2 : pool.isAtTarget() ? 0 : 1;
  }

  private static int longest(List<PoolView> pools, boolean types) {
    return pools.stream()
        .mapToInt(
            pool -> new AttributedString(types ? pool.instanceType() : pool.name()).columnLength())
        .max()
        .orElse(0);
  }

  private AttributedString header(int names, int types) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    line.append(padded("  NAME", MARK + names + 2) + padded("INSTANCE TYPE", types), faint());
    line.append("  ").append("TARGET", faint());
    count(line, PoolBar.Part.QUEUED, "QUEUED");
    count(line, PoolBar.Part.IN_PROGRESS, "INPROGRESS");
    count(line, PoolBar.Part.CURRENT, "CURRENT");
    return line.toAttributedString();
  }

  private void count(AttributedStringBuilder line, PoolBar.Part part, String word) {
    line.append("  ")
        .append(part.symbol(theme), theme.style(part.tone()))
        .append(" " + word, faint());
  }

  private org.jline.utils.AttributedStyle faint() {
    return theme.style(Tone.FAINT);
  }

  private AttributedString row(PoolView pool, int names, int types, int bar) {
    AttributedStringBuilder line = new AttributedStringBuilder().append(mark(pool));
    line.append(padded(pool.name(), names), theme.style(Tone.TITLE));
    line.append("  " + padded(pool.instanceType(), types));
    line.append(
        "  %6d  %8d  %12d  %9d  "
            .formatted(pool.target(), pool.queued(), pool.inProgress(), pool.current()));
    return line.append(PoolBar.of(pool, bar, theme)).toAttributedString();
  }

  private List<AttributedString> stacked(PoolView pool) {
    List<AttributedString> lines = new ArrayList<>(title(pool).lines(mark(pool), MARK, width));
    Paragraph counts = counts(pool, new Paragraph(theme));
    int widest = counts.lines(Integer.MAX_VALUE / 2).getFirst().columnLength();
    int bar = Math.min(LONGEST_BAR, width - MARK - 2 - widest);
    if (bar >= SHORTEST_BAR) {
      AttributedStringBuilder start = new AttributedStringBuilder().append(" ".repeat(MARK));
      AttributedString cells = PoolBar.of(pool, bar, theme);
      start.append(cells).append(cells.length() == 0 ? "" : "  ");
      lines.addAll(counts.lines(start.toAttributedString(), MARK, width));
    } else {
      lines.addAll(counts.lines(new AttributedString(" ".repeat(MARK)), MARK, width));
    }
    return lines;
  }

  private List<AttributedString> compact(PoolView pool) {
    return counts(pool, new Paragraph(theme).add(pool.name() + ":", Tone.TITLE))
        .lines(mark(pool), MARK, width);
  }

  private Paragraph title(PoolView pool) {
    return new Paragraph(theme).add(pool.name(), Tone.TITLE).add(pool.instanceType(), Tone.PLAIN);
  }

  /** The counts in words, with the symbols of the bar; what is 0 is left out. */
  private Paragraph counts(PoolView pool, Paragraph text) {
    add(text, PoolBar.Part.CURRENT, "%d of %d".formatted(pool.current(), pool.target()));
    if (pool.inProgress() > 0) {
      add(text, PoolBar.Part.IN_PROGRESS, pool.inProgress() + " in progress");
    }
    if (pool.queued() > 0) {
      add(text, PoolBar.Part.QUEUED, pool.queued() + " queued");
    }
    if (pool.current() > pool.target()) {
      add(text, PoolBar.Part.SURPLUS, pool.current() - pool.target() + " too many");
    }
    return text;
  }

  private void add(Paragraph text, PoolBar.Part part, String words) {
    text.add(
        new AttributedStringBuilder()
            .append(part.symbol(theme), theme.style(part.tone()))
            .append(" " + words)
            .toAttributedString());
  }

  private AttributedString mark(PoolView pool) {
    if (pool.isInTrouble()) {
      return new AttributedString("! ", theme.style(Tone.BAD));
    }
    return pool.isAtTarget()
        ? new AttributedString(theme.pick("✓ ", "= "), theme.style(Tone.GOOD))
        : new AttributedString(theme.pick("▸ ", "> "), theme.style(Tone.WORK));
  }

  private List<AttributedString> conditions(PoolView pool, Detail detail) {
    List<PoolView.Condition> disorders = pool.disorders();
    if (detail == Detail.REASONS && !disorders.isEmpty()) {
      String reasons =
          disorders.stream()
              .map(each -> each.type() + " " + each.reason())
              .collect(Collectors.joining(", "));
      return new Paragraph(theme).add(reasons, tone(pool)).lines(indent(), MARK + 2, width);
    }
    List<AttributedString> lines = new ArrayList<>();
    if (!pool.fresh()) {
      lines.addAll(
          new Paragraph(theme)
              .add("its spec is new, the operator has not acted on it yet", Tone.FAINT)
              .lines(indent(), MARK + 2, width));
    }
    for (PoolView.Condition each : disorders) {
      lines.addAll(
          new Paragraph(theme)
              .add(each.type() + " " + each.reason() + ":", tone(each))
              .add(each.message(), Tone.PLAIN)
              .lines(indent(), MARK + 2, width));
    }
    return lines;
  }

  private static AttributedString indent() {
    return new AttributedString(" ".repeat(MARK));
  }

  private static Tone tone(PoolView pool) {
    return pool.isInTrouble() ? Tone.BAD : Tone.WORK;
  }

  private static Tone tone(PoolView.Condition condition) {
    return PoolView.isTrouble(condition) ? Tone.BAD : Tone.WORK;
  }

  private static String padded(String text, int width) {
    return text + " ".repeat(Math.max(0, width - new AttributedString(text).columnLength()));
  }
}
