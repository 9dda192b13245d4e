package io.nodepool.plugin.whatif;

import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Forecast.Expected;
import io.nodepool.whatif.Happening.What;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A forecast in lines for people. Changes at about the same time for one reason share a line. */
final class ForecastText {
  private static final int MOST_NAMED = 5;

  /** Changes within this share of the time until then are at about the same time. */
  private static final double TOGETHER = 0.2;

  private static final Duration AT_ONCE = Duration.ofSeconds(30);

  private ForecastText() {}

  /**
   * The lines.
   *
   * @param beside further lines after the end
   */
  static List<String> of(Forecast forecast, List<String> beside, Instant now) {
    List<String> lines = new ArrayList<>();
    groups(forecast, now).stream()
        .sorted(Comparator.comparing(group -> group.getFirst().earliest()))
        .map(group -> "%-14s %s".formatted(times(group, now), sentence(group)))
        .forEach(lines::add);
    if (lines.isEmpty()) {
      lines.add("nothing happens within " + text(Forecast.HORIZON));
    }
    forecast
        .pools()
        .forEach(pool -> {
          lines.add("%-14s %s".formatted("at the end", size(pool)));
          pool.lacks().forEach(each -> lines.add("%-14s %s".formatted("at the end", each)));
        });
    lines.addAll(beside);
    lines.add(
        "No other client changes anything, Pods end only when they are deleted, alerts end with the next boot; where Pods run again is not said.");
    lines.add("plan " + forecast.token().text());
    return lines;
  }

  /** What else happens to a pool if this machine is lost too; empty if nothing. */
  static Optional<String> fragile(
      String pool, String host, Forecast forecast, Forecast withAnother) {
    Forecast.PoolAtEnd before = atEnd(forecast, pool);
    Forecast.PoolAtEnd after = atEnd(withAnother, pool);
    List<String> lacks = new ArrayList<>(after.lacks());
    lacks.removeAll(before.lacks());
    return after.ready() >= before.ready() && lacks.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%-14s if %s is lost too: %s"
                .formatted(
                    "fragile",
                    host,
                    Stream.concat(Stream.of(size(after)), lacks.stream())
                        .collect(Collectors.joining("; "))));
  }

  private static String size(Forecast.PoolAtEnd pool) {
    return "NodePool %s has %d of %d Nodes%s%s"
        .formatted(
            pool.pool(),
            pool.nodes(),
            pool.target(),
            pool.notReady() == 0 ? "" : ", %d not Ready".formatted(pool.notReady()),
            pool.always() ? "" : ", depending on how long machines take");
  }

  private static Forecast.PoolAtEnd atEnd(Forecast forecast, String pool) {
    return forecast.pools().stream()
        .filter(each -> each.pool().equals(pool))
        .findFirst()
        .orElseThrow();
  }

  private static List<List<Expected>> groups(Forecast forecast, Instant now) {
    List<List<Expected>> groups = new ArrayList<>();
    for (Expected each : forecast.happenings()) {
      groups.stream()
          .filter(group -> isTogether(group.getLast(), each, now))
          .findFirst()
          .orElseGet(() -> {
            groups.add(new ArrayList<>());
            return groups.getLast();
          })
          .add(each);
    }
    return groups;
  }

  private static boolean isTogether(Expected last, Expected next, Instant now) {
    Duration gap = Duration.between(last.earliest(), next.earliest()).abs();
    Duration until = Duration.between(now, next.earliest());
    Duration allowed = Duration.ofMillis((long) (until.toMillis() * TOGETHER)).plus(AT_ONCE);
    return last.what() == next.what()
        && last.always() == next.always()
        && (last.what() == What.WORK_ENDS || Objects.equals(last.why(), next.why()))
        && (last.what() != What.AT_TARGET || last.name().equals(next.name()))
        && gap.compareTo(allowed) <= 0;
  }

  private static String times(List<Expected> group, Instant now) {
    Instant earliest = group.stream().map(Expected::earliest).min(Instant::compareTo).orElseThrow();
    Instant latest = group.stream().map(Expected::latest).max(Instant::compareTo).orElseThrow();
    String from = text(Duration.between(now, earliest));
    String to = text(Duration.between(now, latest));
    return from.equals(to) ? "T+" + from : "T+%s..%s".formatted(from, to);
  }

  /** A duration in the largest unit that is precise enough. */
  private static String text(Duration time) {
    long seconds = (time.toMillis() + 500) / 1000;
    if (seconds < 120) {
      return seconds + "s";
    }
    long minutes = (seconds + 30) / 60;
    return minutes < 120 ? minutes + "m" : "%dh%02dm".formatted(minutes / 60, minutes % 60);
  }

  private static String sentence(List<Expected> group) {
    Expected one = group.getFirst();
    int count = group.size();
    String named = named(group);
    String why = one.why().isEmpty() ? "" : ": " + one.why();
    String sentence =
        switch (one.what()) {
          case ASSIGNED ->
              "%s to NodePool %s"
                  .formatted(are(count, "machine", "is assigned", "are assigned"), one.why());
          case CANCELLED ->
              "%s back by NodePool %s before joining"
                  .formatted(are(count, "machine", "is given", "are given"), one.why());
          case JOINED -> "%s NodePool %s".formatted(are(count, "Node", "joins", "join"), one.why());
          case CORDONED -> are(count, "Node", "is cordoned", "are cordoned") + why + named;
          case UNCORDONED -> are(count, "Node", "is uncordoned", "are uncordoned") + named;
          case WORK_ENDS -> are(count, "Pod", "of a tenant ends", "of tenants end") + named;
          case NOT_READY -> are(count, "Node", "is NotReady", "are NotReady") + named;
          case READY -> are(count, "Node", "is Ready again", "are Ready again") + named;
          case BOOTS -> are(count, "machine", "reboots", "reboot") + why + named;
          case BOOTED -> are(count, "machine", "has booted", "have booted") + why + named;
          case STOPPED -> are(count, "machine", "stops", "stop") + named;
          case REMOVED -> are(count, "Node", "is deleted", "are deleted") + why + named;
          case SET_ASIDE -> are(count, "Host", "is set aside", "are set aside") + why + named;
          case AT_TARGET ->
              "NodePool %s %s its target"
                  .formatted(one.name(), one.why().equals("yes") ? "is at" : "is not at");
        };
    return one.always() ? sentence : sentence + ", if machines take long or little time";
  }

  private static String are(int count, String noun, String singular, String plural) {
    return "%d %s%s %s"
        .formatted(count, noun, count == 1 ? "" : "s", count == 1 ? singular : plural);
  }

  private static String named(List<Expected> group) {
    String names =
        group.stream().limit(MOST_NAMED).map(Expected::name).collect(Collectors.joining(", "));
    int more = group.size() - MOST_NAMED;
    return more > 0 ? " (%s and %d more)".formatted(names, more) : " (%s)".formatted(names);
  }
}
