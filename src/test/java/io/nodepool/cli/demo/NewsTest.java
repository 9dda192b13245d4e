package io.nodepool.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.view.ClusterView;
import io.nodepool.cli.view.EventView;
import io.nodepool.cli.view.MachineState;
import io.nodepool.cli.view.MachineView;
import io.nodepool.cli.view.PoolView;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NewsTest {
  private final News news = new News();

  @Test
  void onlyWhatHasChangedIsSaid() {
    List<EventView> first = List.of(event("CWNodeAssigned", "1 Node (a) assigned."));
    assertThat(news.in(view(MachineState.BUSY, "False", "UnderTarget", first)).lines())
        .containsExactly(
            "Event      CWNodeAssigned: 1 Node (a) assigned.",
            "Condition  AtTarget is False, UnderTarget: text");
    assertThat(news.in(view(MachineState.BUSY, "False", "UnderTarget", first)).lines()).isEmpty();

    List<EventView> later =
        List.of(
            first.getFirst(),
            event("CWNodeAlertTriggered", "Node a."),
            event("CWNodeAlertTriggered", "Node b."),
            event("CWNodeTainted", "by others"));
    News.Change change = news.in(view(MachineState.CORDONED, "True", "TargetMet", later));
    assertThat(change.events()).containsExactlyElementsOf(later.subList(1, 4));
    assertThat(change.lines())
        .containsExactly(
            "Machine    m0, m1, m2 and 1 more: busy → cordoned",
            "Event      CWNodeAlertTriggered (2, the last one): Node b.",
            "Condition  AtTarget is True, TargetMet: text");
  }

  @Test
  void machinesThatComeAndGoAreTheMatterOfEvents() {
    assertThat(news.in(view(MachineState.FREE, "True", "TargetMet", List.of())).lines()).isEmpty();
    assertThat(news.in(view(MachineState.BOOTING, "True", "TargetMet", List.of())).lines())
        .isEmpty();
  }

  @Test
  void someConditionsAreGoodWhileTheyAreFalse() {
    assertThat(lines("RepairsHeld", "False")).isEmpty();
    assertThat(lines("RepairsHeld", "True"))
        .containsExactly("Condition  RepairsHeld is True, Reason: text");
    assertThat(lines("RepairsHeld", "False"))
        .containsExactly("Condition  RepairsHeld is False, Reason: text");
    assertThat(lines("NodeReconfigurationRequired", "False")).isEmpty();
    assertThat(lines("Validated", "False"))
        .containsExactly("Condition  Validated is False, Reason: text");
  }

  private List<String> lines(String condition, String status) {
    PoolView.ConditionView seen = new PoolView.ConditionView(condition, status, "Reason", "text");
    PoolView pool =
        new PoolView(
            "pool",
            "type",
            4,
            0,
            0,
            4,
            Map.of(condition, seen),
            true,
            new PoolView.SummaryView("Reason", "text"));
    return news.in(new ClusterView(List.of(pool), List.of(), List.of())).lines();
  }

  private static EventView event(String reason, String message) {
    return new EventView(Instant.EPOCH, false, reason, "NodePool", "pool", message);
  }

  private static ClusterView view(
      MachineState state, String status, String reason, List<EventView> events) {
    PoolView pool =
        new PoolView(
            "pool",
            "type",
            4,
            0,
            0,
            4,
            Map.of("AtTarget", new PoolView.ConditionView("AtTarget", status, reason, "text")),
            true,
            new PoolView.SummaryView(reason, "text"));
    List<MachineView> machines =
        List.of("m0", "m1", "m2", "m3").stream()
            .map(name ->
                new MachineView(
                    new MachineView.Place("type", "zone", "1", name, name),
                    state,
                    Optional.empty(),
                    List.of()))
            .toList();
    return new ClusterView(List.of(pool), machines, events);
  }
}
