package io.nodepool.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.cli.view.PoolView.ConditionView;
import io.nodepool.cli.view.PoolView.SummaryView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The live view of a data centre with many instance types, in situations that people meet. */
class SituationsTest {
  private static final Layout LAYOUT = new Layout(new Theme(false, true));
  private static final Layout.Head HEAD =
      new Layout.Head(List.of("export KUBECONFIG=/tmp/nodepool-dev-1/kubeconfig"), List.of());

  private static final String TYPO =
      "Instance type gd-8xh100-i128 does not exist. Did you mean gd-8xh100ib-i128?";

  /** Conditions of a pool whose spec was not checked. */
  private static final Map<String, ConditionView> NOT_CHECKED =
      Map.of(
          "Validated",
          new ConditionView("Validated", "False", "Invalid", TYPO),
          "Capacity",
          new ConditionView("Capacity", "Unknown", "InternalError", "not checked"),
          "Quota",
          new ConditionView("Quota", "Unknown", "InternalError", "not checked"),
          "NodeReconfigurationRequired",
          new ConditionView(
              "NodeReconfigurationRequired", "Unknown", "InternalError", "not known"));

  /**
   * A situation.
   *
   * @param shown what has to be visible in 100 columns and 30 lines, and in 80 columns and 24 lines
   */
  record Shown(String name, ClusterView view, List<String> shown) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** Two pools in order, and a third one. */
  private static ClusterView with(PoolView third, List<MachineView> its, EventView... events) {
    List<MachineView> machines = new ArrayList<>();
    machines.addAll(Pictures.rack("gb200-4x", "169", "○●●●●●●●●●●●●●●●●●"));
    machines.addAll(Pictures.rack("gb200-4x", "170", "··················"));
    machines.addAll(Pictures.rack("turin-gp", "cpu-1", "●●○·"));
    machines.addAll(its);
    for (String type :
        List.of("b200-8x", "gd-1xgh200", "gd-8xa100-i128", "gd-8xl40-i128", "gd-8xl40s-i128")) {
      machines.addAll(Pictures.rack(type, type + "-1", "····"));
      machines.addAll(Pictures.rack(type, type + "-2", "···~"));
    }
    return new ClusterView(
        List.of(
            Pictures.pool("nvl", "gb200-4x", 18, 0, 0, 18, Pictures.TARGET_MET, Pictures.READY),
            Pictures.pool("web", "turin-gp", 3, 0, 0, 3, Pictures.TARGET_MET, Pictures.READY),
            third),
        machines,
        Stream.concat(
                Stream.of(
                    Pictures.event(
                        7300, false, "CWNodePoolCreated", "nvl", "NodePool nvl is created."),
                    Pictures.event(7200, false, "CWNodeRegistered", "nvl", "18 Nodes registered."),
                    Pictures.event(600, false, "CWNodeRegistered", "web", "3 Nodes registered.")),
                Stream.of(events))
            .toList());
  }

  private static PoolView train(
      int target, int queued, int inProgress, int current, SummaryView summary) {
    return Pictures.pool(
        "train", "gd-8xh100ib-i128", target, queued, inProgress, current, Map.of(), summary);
  }

  private static List<MachineView> h100(String... racks) {
    List<MachineView> machines = new ArrayList<>();
    for (String states : racks) {
      machines.addAll(
          Pictures.rack("gd-8xh100ib-i128", "h100-" + (machines.size() / 4 + 1), states));
    }
    return machines;
  }

  private static MachineView noted(MachineState state, Optional<DisruptionView> what, String note) {
    MachineView machine = Pictures.machine("gd-8xh100ib-i128", "h100-9", 1, state);
    return new MachineView(
        machine.place(), state, what, note.isEmpty() ? List.of() : List.of(note));
  }

  private static List<MachineView> and(List<MachineView> machines, MachineView more) {
    return Stream.concat(machines.stream(), Stream.of(more)).toList();
  }

  private static Stream<Shown> situations() {
    return Stream.of(
        new Shown(
            "growing",
            with(
                train(
                    8,
                    0,
                    3,
                    5,
                    new SummaryView(
                        "Growing", "NodePool has 5 of 8 nodes: 3 in progress, 0 queued.")),
                h100("●●●○", "○◌◐◐", "····"),
                Pictures.event(31, false, "CWNodeRegistered", "train", "5 Nodes registered.")),
            List.of("▸ train", "Growing: NodePool has 5 of 8 nodes", "CWNodeRegistered")),
        new Shown(
            "invalid",
            with(
                Pictures.pool(
                    "train",
                    "gd-8xh100-i128",
                    4,
                    0,
                    0,
                    0,
                    NOT_CHECKED,
                    new SummaryView("Invalid", TYPO)),
                h100("····"),
                Pictures.event(12, true, "CWInvalidInstanceType", "train", TYPO)),
            List.of("! train", "Invalid: Instance type", "CWInvalidInstanceType")),
        new Shown(
            "over quota",
            with(
                train(
                    40,
                    0,
                    0,
                    8,
                    new SummaryView(
                        "OverQuota",
                        "Node Pool targetNodes pushes you over quota for gd-8xh100ib-i128 in US-EAST-04A.")),
                h100("●●●●", "●●●○", "····"),
                Pictures.event(
                    45,
                    true,
                    "CWOverQuota",
                    "train",
                    "Node Pool targetNodes pushes you over quota for gd-8xh100ib-i128 in US-EAST-04A.")),
            List.of("! train", "OverQuota: Node Pool targetNodes", "CWOverQuota")),
        new Shown(
            "rollout paused",
            with(
                train(
                    8,
                    0,
                    0,
                    8,
                    new SummaryView(
                        "RolloutPaused",
                        "Nodes h100-9-1 and h100-1-2 did not boot it in a row, since 2026-11-21T04:50:00Z.")),
                and(
                    h100("●●●○", "●●↻"),
                    noted(
                        MachineState.REBOOTING,
                        Optional.of(
                            new DisruptionView(
                                "Rebooting",
                                "its pool rolls out a configuration",
                                Pictures.NOW.minusSeconds(1500),
                                "its machine to boot, and to be verified",
                                Optional.empty())),
                        "")),
                Pictures.event(
                    600,
                    true,
                    "CWNodePoolRolloutPaused",
                    "train",
                    "The rollout of ncore-2.13.0 is paused with 3 of 8 nodes up to date.")),
            List.of(
                "! train",
                "RolloutPaused: Nodes h100-9-1 and h100-1-2",
                "for 10 min",
                "Rebooting for 25 min",
                "CWNodePoolRolloutPaused")),
        new Shown(
            "repairs held",
            with(
                train(
                    8,
                    0,
                    0,
                    8,
                    new SummaryView(
                        "RepairsHeld",
                        "GPUFallenOffBus is stale: its source alertmanager has not confirmed it. No repair begins for it until that does.")),
                and(
                    h100("●●●○", "●●●"),
                    noted(
                        MachineState.BUSY,
                        Optional.empty(),
                        "Alert GPUFallenOffBus since 2026-11-21T04:00:00Z")),
                Pictures.event(
                    3500,
                    true,
                    "CWNodePoolRepairsHeld",
                    "train",
                    "GPUFallenOffBus is stale: its source alertmanager has not confirmed it.")),
            List.of(
                "! train",
                "RepairsHeld: GPUFallenOffBus is stale",
                "Alert GPUFallenOffBus for 1 h.",
                "CWNodePoolRepairsHeld")),
        new Shown(
            "spot wave",
            with(
                train(
                    8,
                    3,
                    0,
                    5,
                    new SummaryView(
                        "WaitsForMachines",
                        "3 Nodes of type gd-8xh100ib-i128 are queued until capacity becomes available; position 1 of 1 in the queue.")),
                and(
                    h100("●●●○", "▼▼"),
                    noted(
                        MachineState.DRAINING,
                        Optional.of(
                            new DisruptionView(
                                "Draining",
                                "the fleet takes its machine back",
                                Pictures.NOW.minusSeconds(40),
                                "its Pods to end",
                                Optional.of(
                                    new DisruptionView.Until(
                                        Pictures.NOW.plusSeconds(80), "its machine stops")))),
                        "")),
                Pictures.event(40, true, "Preemption pending", "train", "3 Nodes are preempted.")),
            List.of(
                "! train",
                "WaitsForMachines: 3 Nodes of type",
                "Draining for 40 s: the fleet takes its machine back",
                "for 1 min more",
                "Preemption pending")));
  }

  @ParameterizedTest
  @MethodSource("situations")
  void whatMattersIsVisibleInAnOrdinaryTerminal(Shown situation) {
    String wide = LayoutTest.text(LAYOUT.lines(situation.view(), HEAD, 100, 30, Pictures.NOW));
    assertThat(joined(wide))
        .contains(situation.shown())
        .contains(" types without a pool:", "EVENTS")
        .doesNotContain("InternalError", "2026-");
    assertThat(joined(LayoutTest.text(LAYOUT.lines(situation.view(), HEAD, 80, 24, Pictures.NOW))))
        .contains(situation.shown())
        .doesNotContain("2026-");
    if (Boolean.getBoolean("situations.print")) {
      System.out.println("--- " + situation + "\n" + wide);
    }
  }

  private static String joined(String text) {
    return text.replaceAll("\\s+", " ");
  }
}
