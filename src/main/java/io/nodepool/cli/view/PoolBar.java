package io.nodepool.cli.view;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** A bar of a pool's Nodes and its target. A small pool has one cell for each Node. */
final class PoolBar {
  /** The parts of the bar, in their order. */
  enum Part {
    CURRENT('█', '#', Tone.GOOD, "current"),
    SURPLUS('▚', '%', Tone.WARN, "too many"),
    IN_PROGRESS('▒', '+', Tone.WORK, "in progress"),
    QUEUED('░', '-', Tone.WARN, "queued"),
    MISSING('·', '.', Tone.FAINT, "missing");

    private final char symbol;
    private final char ascii;
    private final Tone tone;
    private final String words;

    Part(char symbol, char ascii, Tone tone, String words) {
      this.symbol = symbol;
      this.ascii = ascii;
      this.tone = tone;
      this.words = words;
    }

    String symbol(Theme theme) {
      return String.valueOf(theme.unicode() ? symbol : ascii);
    }

    String words() {
      return words;
    }

    Tone tone() {
      return tone;
    }
  }

  private PoolBar() {}

  /** The number of Nodes of each part. */
  private static Map<Part, Integer> counts(PoolView pool) {
    Map<Part, Integer> counts = new EnumMap<>(Part.class);
    int current = Math.min(pool.current(), pool.target());
    counts.put(Part.CURRENT, current);
    counts.put(Part.SURPLUS, pool.current() - current);
    counts.put(Part.IN_PROGRESS, pool.inProgress());
    counts.put(Part.QUEUED, pool.queued());
    counts.put(
        Part.MISSING,
        Math.max(0, pool.target() - pool.current() - pool.inProgress() - pool.queued()));
    return counts;
  }

  /** The bar, at most this wide. */
  static AttributedString of(PoolView pool, int width, Theme theme) {
    AttributedStringBuilder bar = new AttributedStringBuilder();
    cells(counts(pool), width)
        .forEach((part, cells) ->
            bar.append(part.symbol(theme).repeat(cells), theme.style(part.tone())));
    return bar.toAttributedString();
  }

  /** One cell for each Node, scaled down to the width; a part that is not empty has a cell. */
  private static Map<Part, Integer> cells(Map<Part, Integer> counts, int width) {
    int all = sum(counts);
    if (all <= width) {
      return counts;
    }
    Map<Part, Integer> cells = new EnumMap<>(Part.class);
    counts.forEach((part, count) ->
        cells.put(part, count == 0 ? 0 : Math.max(1, (int) ((long) count * width / all))));
    // The longest part absorbs the rounding error.
    Part longest = Collections.max(cells.entrySet(), Map.Entry.comparingByValue()).getKey();
    cells.merge(longest, width - sum(cells), Integer::sum);
    return cells;
  }

  private static int sum(Map<Part, Integer> counts) {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
