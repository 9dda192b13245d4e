package io.nodepool.cli.demo;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.cli.view.PoolView;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Lists the changes of a cluster since the last look. */
final class News {
  /** Usual states of machines; the Events and conditions of the pool report them. */
  private static final Set<MachineState> USUAL =
      EnumSet.of(
          MachineState.FREE,
          MachineState.BOOTING,
          MachineState.JOINING,
          MachineState.IDLE,
          MachineState.BUSY,
          MachineState.STOPPED,
          MachineState.CLEANING);

  /** Events that repeat another Event or the state of the machine. */
  private static final Set<String> REPEATED =
      Set.of(
          "CWNodeTainted",
          "CWNodeUntainted",
          "CWNodeMarkedPrepareForTerminate",
          "CWNodePreparedForTerminate",
          "CWNodeDraining");

  private static final int NAMES = 3;
  private static final int LONGEST = 220;

  private final Set<EventView> events = new HashSet<>();
  private Map<String, MachineState> states = Map.of();
  private Map<String, PoolView.ConditionView> disorders = Map.of();

  /**
   * The changes.
   *
   * @param events the new Events
   * @param lines all changes, a line for each
   */
  record Change(List<EventView> events, List<String> lines) {}

  /** The changes since the last call. */
  Change in(ClusterView view) {
    List<EventView> fresh = view.events().stream().filter(events::add).toList();
    List<String> lines = new ArrayList<>(machines(view));
    fresh.stream()
        .filter(event -> !REPEATED.contains(event.reason()))
        .collect(Collectors.groupingBy(EventView::reason, LinkedHashMap::new, Collectors.toList()))
        .forEach((reason, all) -> lines.add(line(reason, all)));
    lines.addAll(conditions(view));
    return new Change(
        fresh, lines.stream().map(line -> UserText.shortened(line, LONGEST)).toList());
  }

  private static String line(String reason, List<EventView> all) {
    return "Event      %s%s: %s"
        .formatted(
            reason,
            all.size() == 1 ? "" : " (%d, the last one)".formatted(all.size()),
            all.getLast().message());
  }

  private List<String> machines(ClusterView view) {
    Map<String, MachineState> before = states;
    states =
        view.machines().stream()
            .collect(Collectors.toMap(machine -> machine.place().name(), MachineView::state));
    Map<String, List<String>> changes = new TreeMap<>();
    for (MachineView machine : view.machines()) {
      String name = machine.place().name();
      MachineState was = before.getOrDefault(name, machine.state());
      if (was != machine.state() && !(USUAL.contains(was) && USUAL.contains(machine.state()))) {
        changes
            .computeIfAbsent(
                "%s → %s".formatted(was.word(), machine.state().word()), _ -> new ArrayList<>())
            .add(name);
      }
    }
    return changes.entrySet().stream()
        .map(change -> "Machine    %s: %s".formatted(names(change.getValue()), change.getKey()))
        .toList();
  }

  private static String names(List<String> all) {
    String first = all.stream().limit(NAMES).collect(Collectors.joining(", "));
    return all.size() <= NAMES ? first : "%s and %d more".formatted(first, all.size() - NAMES);
  }

  private List<String> conditions(ClusterView view) {
    Map<String, PoolView.ConditionView> before = disorders;
    disorders =
        view.pools().stream()
            .flatMap(pool -> pool.conditions().values().stream())
            .filter(each -> !isGood(each))
            .collect(Collectors.toMap(PoolView.ConditionView::type, each -> each));
    List<String> lines = new ArrayList<>();
    disorders.values().stream()
        .filter(now -> !before.containsKey(now.type()) || !reason(before, now).equals(now.reason()))
        .forEach(now -> lines.add(line(now)));
    view.pools().stream()
        .flatMap(pool -> pool.conditions().values().stream())
        .filter(now -> before.containsKey(now.type()) && !disorders.containsKey(now.type()))
        .forEach(now -> lines.add(line(now)));
    return lines;
  }

  private static boolean isGood(PoolView.ConditionView condition) {
    return Arrays.stream(PoolCondition.values())
        .filter(type -> type.type().equals(condition.type()))
        .allMatch(type -> type.healthy().word().equals(condition.status()));
  }

  private static String reason(
      Map<String, PoolView.ConditionView> conditions, PoolView.ConditionView of) {
    return conditions.getOrDefault(of.type(), of).reason();
  }

  private static String line(PoolView.ConditionView condition) {
    return "Condition  %s is %s, %s: %s"
        .formatted(condition.type(), condition.status(), condition.reason(), condition.message());
  }
}
