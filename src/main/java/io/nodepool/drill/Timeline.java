package io.nodepool.drill;

import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.drill.workload.WorkloadRunner;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Messages;
import io.nodepool.whatif.Happening;
import io.nodepool.whatif.Happenings;
import io.nodepool.world.World;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The timeline of a drill for people: the deeds of the script, and their effects. */
final class Timeline implements WorkloadRunner.Listener {
  /** The same happening of several objects within this time is one line. */
  private static final Duration TOGETHER = Duration.ofMinutes(1);

  private static final int NAMED = 4;

  /** A line that may still grow. */
  private static final class Line {
    final Instant at;
    final Optional<Happening.What> what;
    final String why;
    final List<String> names = new ArrayList<>();

    Line(Instant at, Optional<Happening.What> what, String why) {
      this.at = at;
      this.what = what;
      this.why = why;
    }

    String text() {
      return what.map(each -> sentence(each, names, why)).orElse(why);
    }
  }

  private final World world;
  private final List<Line> lines = new ArrayList<>();

  /** Completed Pods: their end is no loss. */
  private final Set<String> done = new HashSet<>();

  private final Map<Happening.What, Integer> counts = new EnumMap<>(Happening.What.class);

  /** How often machines booted anew, by reason. */
  private final SortedMap<String, Integer> boots = new TreeMap<>();

  /** Notes what happens in this world from now on. */
  Timeline(World world) {
    this.world = world;
    new Happenings(world, this::note);
  }

  /** Adds a deed of the script. */
  void script(String text) {
    lines.add(new Line(world.instant(), Optional.empty(), "> " + text));
  }

  @Override
  public void completed(WorkloadManifest.Id workload, List<Pod> pods) {
    pods.forEach(pod -> done.add(pod.namespace() + "/" + pod.name()));
    lines.add(
        new Line(
            world.instant(),
            Optional.empty(),
            "%s of %s completed".formatted(Messages.count(pods.size(), "Pod"), workload)));
  }

  @Override
  public void preempted(Pod pod, WorkloadManifest.Id by) {
    lines.add(
        new Line(
            world.instant(),
            Optional.empty(),
            "the scheduler ends %s/%s for %s, of higher priority"
                .formatted(pod.namespace(), pod.name(), by)));
  }

  private void note(Happening seen) {
    if (seen.what() == Happening.What.WORK_ENDS && done.remove(seen.name())) {
      return;
    }
    counts.merge(seen.what(), 1, Integer::sum);
    if (seen.what() == Happening.What.BOOTS) {
      boots.merge(seen.why(), 1, Integer::sum);
    }
    if (isShown(seen.what())) {
      String why = why(seen);
      Line last = lines.isEmpty() ? null : lines.getLast();
      boolean same =
          last != null
              && last.what.equals(Optional.of(seen.what()))
              && last.why.equals(why)
              && Duration.between(last.at, seen.at()).compareTo(TOGETHER) < 0;
      Line line = last != null && same ? last : new Line(seen.at(), Optional.of(seen.what()), why);
      if (!same) {
        lines.add(line);
      }
      line.names.add(seen.name());
    }
  }

  private static String why(Happening seen) {
    return seen.what() == Happening.What.WORK_ENDS ? "" : seen.why();
  }

  private static boolean isShown(Happening.What what) {
    return switch (what) {
      case ASSIGNED, READY, BOOTED -> false;
      case CANCELLED,
          JOINED,
          CORDONED,
          UNCORDONED,
          WORK_ENDS,
          NOT_READY,
          BOOTS,
          STOPPED,
          REMOVED,
          SET_ASIDE,
          AT_TARGET ->
          true;
    };
  }

  private static String sentence(Happening.What what, List<String> names, String why) {
    String nodes = Messages.count(names.size(), "Node");
    String named = Messages.list(names, NAMED);
    String because = why.isEmpty() ? "" : ": " + why;
    return switch (what) {
      case JOINED -> "%s joined NodePool %s: %s".formatted(nodes, why, named);
      case CORDONED -> "%s cordoned (%s)%s".formatted(nodes, named, because);
      case UNCORDONED -> "%s uncordoned (%s)%s".formatted(nodes, named, because);
      case WORK_ENDS ->
          "%s of tenants ended: %s".formatted(Messages.count(names.size(), "Pod"), named);
      case NOT_READY -> "%s not Ready: %s".formatted(nodes, named);
      case BOOTS ->
          "%s booted (%s)%s".formatted(Messages.count(names.size(), "machine"), named, because);
      case STOPPED -> "%s off: %s".formatted(Messages.count(names.size(), "machine"), named);
      case REMOVED -> "%s removed (%s)%s".formatted(nodes, named, because);
      case SET_ASIDE ->
          "%s set aside (%s)%s".formatted(Messages.count(names.size(), "machine"), named, because);
      case CANCELLED ->
          "%s given back before they joined: %s"
              .formatted(Messages.count(names.size(), "machine"), named);
      case AT_TARGET ->
          "NodePool %s %s its target"
              .formatted(names.getLast(), why.equals("yes") ? "is at" : "is not at");
      case ASSIGNED, READY, BOOTED -> what.word() + " " + named;
    };
  }

  /** The lines, in order. */
  List<DrillResult.Line> lines() {
    return lines.stream().map(line -> new DrillResult.Line(line.at, line.text())).toList();
  }

  /** How often each thing happened so far. */
  Map<String, Object> totals() {
    Map<String, Object> totals = new LinkedHashMap<>();
    totals.put("removed", count(Happening.What.REMOVED));
    totals.put("setAside", count(Happening.What.SET_ASIDE));
    totals.put("boots", count(Happening.What.BOOTS));
    totals.put("podsEnded", count(Happening.What.WORK_ENDS));
    totals.put("notReady", count(Happening.What.NOT_READY));
    return totals;
  }

  /** How often machines booted anew so far, by reason; empty text if the Node recorded none. */
  SortedMap<String, Integer> boots() {
    return Collections.unmodifiableSortedMap(new TreeMap<>(boots));
  }

  private long count(Happening.What what) {
    return counts.getOrDefault(what, 0);
  }

  /** An instant as the day of the drill, from 1, and the time. */
  static String at(Instant at) {
    Duration since = since(at);
    return "day %d %02d:%02d:%02d"
        .formatted(
            since.toDays() + 1, since.toHoursPart(), since.toMinutesPart(), since.toSecondsPart());
  }

  /** The time from the start. */
  static Duration since(Instant at) {
    return Duration.between(World.START, at);
  }

  /** A time from the start as day and time. */
  static String at(Duration since) {
    return at(World.START.plus(since));
  }
}
