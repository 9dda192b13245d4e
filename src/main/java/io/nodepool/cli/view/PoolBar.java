package io.nodepool.cli.view;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;

/** A pool's Nodes against its target, as a bar. A small pool has one cell for each Node. */
final class PoolBar {
  /** The parts of the bar, in their order. */
  enum Part {
    CURRENT('█', '#', Tone.GOOD),
    SURPLUS('▚', '%', Tone.WARN),
    IN_PROGRESS('▒', '+', Tone.WORK),
    QUEUED('░', '-', Tone.WARN),
    MISSING('·', '.', Tone.FAINT);

    private final char symbol;
    private final char ascii;
    private final Tone tone;

    Part(char symbol, char ascii, Tone tone) {
      this.symbol = symbol;
      this.ascii = ascii;
      this.tone = tone;
    }

    String symbol(Theme theme) {
      return String.valueOf(theme.unicode() ? symbol : ascii);
    }

    Tone tone() {
      return tone;
    }
  }

  private PoolBar() {}

  /** How many Nodes each part stands for, in the parts' order. */
  static List<Integer> counts(PoolView pool) {
    int current = Math.min(pool.current(), pool.target());
    return List.of(
        current,
        pool.current() - current,
        pool.inProgress(),
        pool.queued(),
        Math.max(0, pool.target() - pool.current() - pool.inProgress() - pool.queued()));
  }

  /** The bar, at most this wide. */
  static AttributedString of(PoolView pool, int width, Theme theme) {
    int[] cells = cells(counts(pool), width);
    AttributedStringBuilder bar = new AttributedStringBuilder();
    for (Part part : Part.values()) {
      bar.append(part.symbol(theme).repeat(cells[part.ordinal()]), theme.style(part.tone()));
    }
    return bar.toAttributedString();
  }

  /** As many cells as there are Nodes, or as there is room; a part that is there has a cell. */
  static int[] cells(List<Integer> counts, int width) {
    int[] cells = counts.stream().mapToInt(Integer::intValue).toArray();
    int all = Arrays.stream(cells).sum();
    if (all <= width) {
      return cells;
    }
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cells[i] == 0 ? 0 : Math.max(1, (int) ((long) cells[i] * width / all));
    }
    for (int left = width - Arrays.stream(cells).sum(); left != 0; left += left > 0 ? -1 : 1) {
      cells[longest(cells)] += left > 0 ? 1 : -1;
    }
    return cells;
  }

  private static int longest(int[] cells) {
    return IntStream.range(0, cells.length)
        .reduce(0, (best, each) -> cells[each] > cells[best] ? each : best);
  }
}
