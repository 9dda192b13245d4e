package io.nodepool.cli;

import io.nodepool.vocabulary.PoolCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A picture of the cluster in words. Pure. */
final class BoardText {
  private static final List<String> COLUMNS =
      List.of(
          "NAME",
          "INSTANCE TYPE",
          "TARGET",
          "QUEUED",
          "INPROGRESS",
          "CURRENT",
          "VALIDATED",
          "CAPACITY",
          "QUOTA",
          "STAGEDCONFIG");

  private static final int SHOWN_POOLS = 20;
  private static final int SHOWN_MESSAGE = 100;

  private BoardText() {}

  /** The picture as lines: the pools as kubectl prints them, the Nodes by state, the events. */
  static List<String> lines(Board.Picture picture) {
    List<String> lines = new ArrayList<>(table(picture.pools()));
    lines.add("");
    lines.add("Nodes: " + nodes(picture.nodes()));
    if (!picture.events().isEmpty()) {
      lines.add("");
      picture.events().forEach(event -> lines.add(event(event)));
    }
    return lines;
  }

  private static List<String> table(List<PoolView> pools) {
    if (pools.isEmpty()) {
      return List.of("There are no NodePools.");
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(COLUMNS);
    pools.stream().limit(SHOWN_POOLS).map(BoardText::cells).forEach(rows::add);
    int[] widths =
        IntStream.range(0, COLUMNS.size())
            .map(column -> rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0))
            .toArray();
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      lines.add(
          IntStream.range(0, COLUMNS.size())
              .mapToObj(
                  column -> row.get(column) + " ".repeat(widths[column] - row.get(column).length()))
              .collect(Collectors.joining("   "))
              .stripTrailing());
    }
    if (pools.size() > SHOWN_POOLS) {
      lines.add("... and %d more".formatted(pools.size() - SHOWN_POOLS));
    }
    return lines;
  }

  private static List<String> cells(PoolView pool) {
    return List.of(
        pool.name(),
        pool.instanceType(),
        Integer.toString(pool.target()),
        Integer.toString(pool.queued()),
        Integer.toString(pool.inProgress()),
        Integer.toString(pool.current()),
        pool.reason(PoolCondition.VALIDATED),
        pool.reason(PoolCondition.CAPACITY),
        pool.reason(PoolCondition.QUOTA),
        pool.reason(PoolCondition.NODE_RECONFIGURATION_REQUIRED));
  }

  private static String nodes(Map<NodeState, Integer> nodes) {
    int all = nodes.values().stream().mapToInt(Integer::intValue).sum();
    return all == 0
        ? "none"
        : "%d (%s)"
            .formatted(
                all,
                nodes.entrySet().stream()
                    .map(entry -> entry.getValue() + " " + entry.getKey().word())
                    .collect(Collectors.joining(", ")));
  }

  private static String event(Board.Told event) {
    String time = event.time().replaceFirst("^.*T", "").replaceFirst("[.Z].*$", "");
    String message = event.message();
    return "%s  %-7s  %s  %s: %s"
        .formatted(
            time,
            event.type(),
            event.reason(),
            event.about(),
            message.length() <= SHOWN_MESSAGE
                ? message
                : message.substring(0, SHOWN_MESSAGE) + "...");
  }

  /** A pool in one line, for where a table cannot be redrawn. */
  static String line(PoolView pool) {
    return "%s: target %d, queued %d, in progress %d, current %d; %s"
        .formatted(
            pool.name(),
            pool.target(),
            pool.queued(),
            pool.inProgress(),
            pool.current(),
            pool.conditions().isEmpty()
                ? "not looked at yet"
                : "Validated %s, Capacity %s, Quota %s, AtTarget %s"
                    .formatted(
                        pool.reason(PoolCondition.VALIDATED),
                        pool.reason(PoolCondition.CAPACITY),
                        pool.reason(PoolCondition.QUOTA),
                        pool.reason(PoolCondition.AT_TARGET)));
  }

  /** A time that passed, for people: {@code 37 s}, {@code 2 min 5 s}. */
  static String duration(java.time.Duration time) {
    long seconds = Math.max(0, time.plusMillis(500).toSeconds());
    return seconds < 60 ? seconds + " s" : "%d min %d s".formatted(seconds / 60, seconds % 60);
  }
}
