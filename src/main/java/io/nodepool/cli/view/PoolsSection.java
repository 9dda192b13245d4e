package io.nodepool.cli.view;

import io.nodepool.plan.Messages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** The section of the pools, each with a bar and its most important fact. */
final class PoolsSection {
  /** The level of detail. */
  enum Detail {
    /** Bars, all messages, and all conditions. */
    CONDITIONS,
    /** Bars, and all messages. */
    ALL,
    /** No bar that needs a line of its own, and only messages of problems. */
    TROUBLE,
    /** A line for each pool, with the reasons. */
    REASONS
  }

  private static final int SHORTEST_BAR = 10;
  private static final int LONGEST_BAR = 40;
  private static final int SYMBOL = 2;
  private static final int COUNTS_WIDTH = 6 + 2 + 8 + 2 + 12 + 2 + 9;

  private final Theme theme;
  private final int width;
  private final Instant now;

  /**
   * @param now the instant from which ages count; {@link Instant#MIN} keeps instants
   */
  PoolsSection(Theme theme, int width, Instant now) {
    this.theme = theme;
    this.width = width;
    this.now = now;
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
    int names = longest(pools.stream().map(PoolView::name));
    int types = longest(pools.stream().map(pool -> theme.shown(pool.instanceType())));
    int counts = longest(pools.stream().map(pool -> counts(pool).toString()));
    int left = width - SYMBOL - names - 2 - types - 2;
    int barOfTable = Math.min(LONGEST_BAR, left - COUNTS_WIDTH - 2);
    int barOfLine = Math.min(LONGEST_BAR, left - counts - 2);
    List<AttributedString> lines = new ArrayList<>();
    if (barOfTable >= SHORTEST_BAR) {
      lines.add(header(names, types));
    } else if (barOfLine >= SHORTEST_BAR) {
      lines.addAll(legend());
    }
    for (PoolView pool : pools) {
      if (barOfTable >= SHORTEST_BAR) {
        lines.add(row(pool, names, types, barOfTable));
      } else if (barOfLine >= SHORTEST_BAR) {
        lines.add(line(pool, names, types, counts, barOfLine));
      } else {
        lines.addAll(
            detail == Detail.ALL || detail == Detail.CONDITIONS ? stacked(pool) : compact(pool));
      }
      lines.addAll(conditions(pool, detail));
    }
    return lines;
  }

  /**
   * The section in at most this many lines: pools with problems first, with their reasons, and the
   * number of other pools.
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
            "%s %s, %d at target"
                .formatted(
                    theme.ellipsis(), Messages.count(left.size(), "more NodePool"), atTarget),
            Tone.FAINT)
        .lines(width);
  }

  private static int urgency(PoolView pool) {
    return pool.isInTrouble() ? 2 : pool.isAtTarget() ? 0 : 1;
  }

  private static int longest(Stream<String> texts) {
    return texts.mapToInt(Theme::columns).max().orElse(0);
  }

  private AttributedString header(int names, int types) {
    AttributedStringBuilder line = new AttributedStringBuilder();
    line.append(
        Theme.padded("  NAME", SYMBOL + names + 2) + Theme.padded("INSTANCE TYPE", types), faint());
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
    return start(pool, names, types)
        .append(
            "%6d  %8d  %12d  %9d  "
                .formatted(pool.target(), pool.queued(), pool.inProgress(), pool.current()))
        .append(PoolBar.of(pool, bar, theme))
        .toAttributedString();
  }

  private AttributedString line(PoolView pool, int names, int types, int counts, int bar) {
    AttributedString words = counts(pool);
    return start(pool, names, types)
        .append(words)
        .append(" ".repeat(counts - words.columnLength() + 2))
        .append(PoolBar.of(pool, bar, theme))
        .toAttributedString();
  }

  private AttributedStringBuilder start(PoolView pool, int names, int types) {
    return new AttributedStringBuilder()
        .append(symbol(pool))
        .append(Theme.padded(pool.name(), names), theme.style(Tone.TITLE))
        .append("  " + Theme.padded(theme.shown(pool.instanceType()), types) + "  ");
  }

  private List<AttributedString> stacked(PoolView pool) {
    List<AttributedString> lines = new ArrayList<>(title(pool).lines(symbol(pool), SYMBOL, width));
    int bar = Math.min(LONGEST_BAR, width - SYMBOL);
    Paragraph text = new Paragraph(theme);
    if (bar >= SHORTEST_BAR) {
      text.add(PoolBar.of(pool, bar, theme));
    }
    words(pool, true).forEach(text::add);
    lines.addAll(text.lines(SYMBOL, SYMBOL, width));
    return lines;
  }

  private List<AttributedString> compact(PoolView pool) {
    Paragraph text = new Paragraph(theme).add(pool.name() + ":", Tone.TITLE);
    words(pool, true).forEach(text::add);
    return text.lines(symbol(pool), SYMBOL, width);
  }

  private Paragraph title(PoolView pool) {
    return new Paragraph(theme).add(pool.name(), Tone.TITLE).add(pool.instanceType(), Tone.PLAIN);
  }

  /** The counts above 0, with the symbols of the bar. */
  private AttributedString counts(PoolView pool) {
    return AttributedString.join(new AttributedString(" "), words(pool, false));
  }

  private List<AttributedString> words(PoolView pool, boolean inFull) {
    int tooMany = Math.max(0, pool.current() - pool.target());
    String current = "%d of %d".formatted(pool.current(), pool.target());
    return Stream.of(
            Optional.of(words(PoolBar.Part.CURRENT, current, false)),
            words(PoolBar.Part.IN_PROGRESS, pool.inProgress(), inFull),
            words(PoolBar.Part.QUEUED, pool.queued(), inFull),
            words(PoolBar.Part.SURPLUS, tooMany, inFull))
        .flatMap(Optional::stream)
        .toList();
  }

  private Optional<AttributedString> words(PoolBar.Part part, int count, boolean inFull) {
    return count == 0
        ? Optional.empty()
        : Optional.of(words(part, Integer.toString(count), inFull));
  }

  private AttributedString words(PoolBar.Part part, String text, boolean inFull) {
    return new AttributedStringBuilder()
        .append(part.symbol(theme), theme.style(part.tone()))
        .append(" " + text + (inFull ? " " + part.words() : ""))
        .toAttributedString();
  }

  private List<AttributedString> legend() {
    Paragraph text = new Paragraph(theme);
    for (PoolBar.Part part : PoolBar.Part.values()) {
      text.add(
          new AttributedStringBuilder()
              .append(part.symbol(theme), theme.style(part.tone()))
              .append(" " + part.words() + " ", faint())
              .toAttributedString());
    }
    return text.lines(SYMBOL, SYMBOL, width);
  }

  private AttributedString symbol(PoolView pool) {
    if (pool.isInTrouble()) {
      return new AttributedString("! ", theme.style(Tone.BAD));
    }
    return pool.isAtTarget()
        ? new AttributedString(theme.pick("✓ ", "= "), theme.style(Tone.GOOD))
        : new AttributedString(theme.pick("▸ ", "> "), theme.style(Tone.WORK));
  }

  private List<AttributedString> conditions(PoolView pool, Detail detail) {
    List<AttributedString> lines = new ArrayList<>();
    if (!pool.fresh() && detail != Detail.REASONS) {
      lines.addAll(
          new Paragraph(theme)
              .add("the operator has not observed the current spec yet", Tone.FAINT)
              .lines(SYMBOL, SYMBOL + 2, width));
    }
    PoolView.SummaryView summary = pool.summary();
    Tone tone = pool.isInTrouble() ? Tone.BAD : Tone.WORK;
    switch (detail) {
      case ALL ->
          lines.addAll(said(summary.reason(), summary.message(), tone, pool.isRemarkable()));
      case TROUBLE ->
          lines.addAll(said(summary.reason(), summary.message(), tone, pool.isInTrouble()));
      case REASONS -> lines.addAll(said(summary.reason(), "", tone, pool.isRemarkable()));
      case CONDITIONS -> {
        lines.addAll(said(summary.reason(), summary.message(), tone, true));
        pool.inOrder()
            .forEach(each ->
                lines.addAll(
                    said(each.type() + " " + each.reason(), each.message(), Tone.CALM, true)));
      }
    }
    return lines;
  }

  private List<AttributedString> said(String what, String message, Tone tone, boolean isShown) {
    return isShown
        ? new Paragraph(theme)
            .add(message.isEmpty() ? what : what + ":", tone)
            .add(now.equals(Instant.MIN) ? message : Ages.in(message, now), Tone.PLAIN)
            .lines(SYMBOL, SYMBOL + 2, width)
        : List.of();
  }
}
